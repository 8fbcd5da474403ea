import { activity } from '../../contract/codes.ts'
import { columns, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { activityFilter, nameSort, updatedSince } from '../common.ts'

export const vendors: Resource = {
  name: 'vendors',
  names: { en: 'Vendors', fr: 'Fournisseurs', ht: 'Founisè' },
  permission: 'vendors:read',
  group: 'goods',
  holds: { en: 'The companies you buy from', fr: 'Les entreprises chez qui vous achetez', ht: 'Konpayi kote ou achte' },
  presets: ['accountant'],
  relation: 'vendors',
  fields: [
    ...columns('id code name contact_first_name contact_last_name other_contact phone phone2 email website'),
    ...columns('address city zip country currency'),
    label('status', 'active', activity),
    ...columns('created_at updated_at'),
  ],
  filters: [activityFilter, updatedSince],
  search: ['name', 'code', 'phone', 'email'],
  sort: nameSort,
  en: {
    says: 'The companies that goods are bought from.',
    code: 'Vendor number that people in the company use.',
    name: 'Name of the company that sells.',
    contact_first_name: 'Given name of the person to talk to.',
    contact_last_name: 'Family name of the person to talk to.',
    other_contact: 'Another person to talk to, as free text.',
    website: 'Address on the web.',
    country: 'Where the vendor is, as written on letters.',
    currency: 'Code of the currency that the vendor is paid in.',
    status: '`active` if the company still buys from the vendor.',
    '?status': 'Vendors that the company still buys from, or those that it does not; both if left out.',
  },
  fr: {
    says: 'Les entreprises chez qui les marchandises sont achetées.',
    code: 'Numéro de fournisseur utilisé dans l’entreprise.',
    name: 'Nom de l’entreprise qui vend.',
    contact_first_name: 'Prénom de la personne à contacter.',
    contact_last_name: 'Nom de famille de la personne à contacter.',
    other_contact: 'Une autre personne à contacter, en texte libre.',
    website: 'Adresse sur le web.',
    country: 'Où est le fournisseur, comme sur une lettre.',
    currency: 'Code de la devise dans laquelle le fournisseur est payé.',
    status: '`active` si l’entreprise achète encore au fournisseur.',
    '?status': 'Les fournisseurs chez qui l’entreprise achète encore, ou les autres ; les deux si omis.',
  },
}
