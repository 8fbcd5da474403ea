// What a plan shows: the fields that its access may see, and how they are written.
import { permissions, type Permission } from '../catalogue/access.ts'
import { isArray, isDetailOnly, type ArrayField, type Field, type ScalarField } from '../catalogue/field.ts'
import type { Resource } from '../catalogue/resource.ts'
import { findResource } from '../catalogue/resources/index.ts'
import { visibleFields } from '../catalogue/visible.ts'
import type { Plan } from '../query/plan.ts'
import { recordWriter, type OnUnknownCode, type WriteRecord } from './json.ts'

export interface Shape {
  readonly key: string
  readonly resource: Resource
  readonly scalars: readonly ScalarField[]
  readonly arrays: readonly ArrayField[]
  readonly write: WriteRecord
}

// What a plan shows depends on the resource, on the gates and the price list of the access, and on nothing else of the
// request: each combination is worked out once.
export function createShapes(onUnknownCode: OnUnknownCode): (plan: Plan) => Shape {
  const shapes = new Map<string, Shape>()
  const gatesOf = new Map<Resource, readonly Permission[]>()
  return ({ resource: name, shows, access }) => {
    const resource = findResource(name)
    if (!resource) throw new Error(`no resource ${name}`)
    let gates = gatesOf.get(resource)
    if (!gates)
      gatesOf.set(
        resource,
        (gates = permissions.filter((gate) => resource.fields.some((each) => usesGate(each, gate)))),
      )
    const held = gates.filter((gate) => access.permissions.includes(gate))
    const key = `${name} ${shows} ${access.priceList === null} ${held.join(' ')}`
    const known = shapes.get(key)
    if (known) return known
    const fields = visibleFields(resource, access).filter((field) => shows === 'detail' || !isDetailOnly(field))
    const shape = {
      key,
      resource,
      scalars: fields.filter((field) => !isArray(field)),
      arrays: fields.filter(isArray),
      write: recordWriter(resource, fields, onUnknownCode),
    }
    shapes.set(key, shape)
    return shape
  }
}

const usesGate = (field: Field, permission: string): boolean =>
  field.gate === permission || (isArray(field) && field.fields.some((item) => usesGate(item, permission)))
