// Every resource, in the order of the specification; the three it names without describing come last.
import type { Resource } from '../resource.ts'
import { adjustments } from './adjustments.ts'
import { customerTypes } from './customer-types.ts'
import { customers } from './customers.ts'
import { departments } from './departments.ts'
import { creditMemos, invoices } from './invoices.ts'
import { payments } from './payments.ts'
import { priceLists } from './price-lists.ts'
import { products } from './products.ts'
import { purchaseOrders } from './purchase-orders.ts'
import { quotes } from './quotes.ts'
import { receivings } from './receivings.ts'
import { salesOrders } from './sales-orders.ts'
import { stores } from './stores.ts'
import { subDepartments } from './sub-departments.ts'
import { transfers } from './transfers.ts'
import { vendors } from './vendors.ts'

export const resources: readonly Resource[] = [
  products,
  customers,
  vendors,
  quotes,
  salesOrders,
  invoices,
  creditMemos,
  payments,
  purchaseOrders,
  receivings,
  transfers,
  adjustments,
  stores,
  subDepartments,
  departments,
  priceLists,
  customerTypes,
]

// The resources as a company with these currencies has them.
export const resourcesWith = (currencies: readonly string[]): readonly Resource[] =>
  resources.map((resource) => ({
    ...resource,
    filters: resource.filters.map((filter) =>
      filter.kind === 'currency' ? { ...filter, values: currencies } : filter,
    ),
  }))

const byName = new Map(resources.map((resource) => [resource.name, resource]))

export const findResource = (name: string): Resource | undefined => byName.get(name)
