// The vendors: Haitian, Dominican and Floridian houses, each with the departments that it supplies.
import { DAY, LAST_MOMENT, momentText } from './calendar.ts'
import type { Currency } from './money.ts'
import { firstNames, lastNames, plainLetters } from './names.ts'
import type { DemoRow } from './outbox.ts'
import type { Random } from './random.ts'

export interface Vendor {
  readonly id: number
  readonly name: string
  readonly currency: Currency
  readonly isLocal: boolean
  readonly isActive: boolean
  readonly departments: readonly number[]
  readonly row: DemoRow
}

interface House {
  readonly name: string
  readonly place: VendorPlace
  readonly departments: readonly number[]
}

interface VendorPlace {
  readonly country: string
  readonly cities: readonly string[]
  readonly zips: readonly string[]
  readonly streets: readonly string[]
  readonly phone: readonly string[]
  readonly firstNames: readonly string[]
  readonly lastNames: readonly string[]
}

const haiti: VendorPlace = {
  country: 'Haïti',
  cities: ['Port-au-Prince', 'Croix-des-Bouquets', 'Cap-Haïtien', 'Saint-Marc', 'Carrefour'],
  zips: ['HT6110', 'HT6210', 'HT1110', 'HT4310', 'HT6130'],
  streets: ['boulevard La Saline', 'route Nationale #1', 'parc industriel SONAPI', "rue de l'Industrie", 'Varreux'],
  phone: ['+509 28', '+509 29', '+509 37', '+509 48'],
  firstNames,
  lastNames,
}
const dominicanRepublic: VendorPlace = {
  country: 'République dominicaine',
  cities: ['Santiago', 'Santo Domingo', 'Dajabón', 'La Vega'],
  zips: ['51000', '10100', '63000', '41000'],
  streets: ['Av. 27 de Febrero', 'Calle Duarte', 'Zona Industrial', 'Autopista Duarte km 7', 'Av. Estrella Sadhalá'],
  phone: ['+1 809 5', '+1 829 5', '+1 849 5'],
  firstNames: ['Rafael', 'Yolanda', 'Ramón', 'Altagracia', 'Luis', 'Mercedes', 'Héctor', 'Belkis'],
  lastNames: ['Peña', 'Núñez', 'de la Cruz', 'Batista', 'Rodríguez', 'Almonte', 'Polanco'],
}
const florida: VendorPlace = {
  country: 'États-Unis',
  cities: ['Miami, FL', 'Hialeah, FL', 'Doral, FL', 'Fort Lauderdale, FL'],
  zips: ['33166', '33010', '33172', '33309'],
  streets: ['NW 72nd Ave', 'NW 36th St', 'E 11th Ave', 'NW 25th St', 'W Cypress Creek Rd'],
  phone: ['+1 305 555-01', '+1 786 555-01', '+1 954 555-01'],
  firstNames: ['Carlos', 'Jennifer', 'Michael', 'Ana', 'Kevin', 'Marjorie', 'Steve'],
  lastNames: ['Ramirez', 'Johnson', 'Alvarez', 'Brown', 'Pierre-Louis', "O'Connor", 'Diaz'],
}

const house = (place: VendorPlace, departments: readonly number[], names: string): House[] =>
  names.split('|').map((name) => ({ name: name.trim(), place, departments }))

const houses: readonly House[] = [
  ...house(
    haiti,
    [1],
    "Moulins de l'Artibonite S.A.|Comptoir des Grains S.A.|Agro-Import du Nord|Salines de la Grande Saline",
  ),
  ...house(haiti, [1, 2], 'Distribution Caraïbe S.A.|Maison Lhérisson & Fils'),
  ...house(haiti, [2], 'Brasserie du Morne S.A.|Eaux Vives du Massif|Rhumerie Bois Caïman'),
  ...house(haiti, [3], 'Savonnerie du Sud S.A.|Hygiène Plus Haïti'),
  ...house(
    haiti,
    [5],
    'Cimenterie du Morne Cabrit S.A.|Carrières du Plateau|Aciers Réunis S.A.|Bois et Matériaux Delva',
  ),
  ...house(haiti, [5, 6], 'Comptoir Quincaillier S.A.'),
  ...house(haiti, [10], 'Imprimerie du Bicentenaire|Papeterie Centrale S.A.'),
  ...house(haiti, [4], "Plastiques d'Haïti S.A.|Literie Bon Sommeil"),
  ...house(dominicanRepublic, [1, 2], 'Distribuidora del Cibao SRL|Molinos Quisqueya SRL|Alimentos La Frontera SRL'),
  ...house(dominicanRepublic, [3, 4], 'Plásticos del Norte SRL|Jabonería Yaque SRL'),
  ...house(dominicanRepublic, [5, 6], 'Ferretería Mayorista Duarte SRL|Aceros del Este SRL|Cerámicas La Vega SRL'),
  ...house(florida, [7], 'Sunline Solar Supply LLC|Gulf Power Export Inc.|Keys Electric Wholesale Inc.'),
  ...house(florida, [8, 7], 'Biscayne Appliance Export LLC|Tamiami Electronics Inc.'),
  ...house(florida, [9], 'Palmetto Tire Export Inc.|Everglades Auto Parts LLC'),
  ...house(florida, [6, 9], 'Coral Way Tools & Parts Inc.'),
  ...house(florida, [10, 4], 'Caribbean School Supply LLC'),
]

// A larger company buys from more houses; these are named after their owners.
function nextHouse(random: Random): House {
  const place = random.pick([haiti, haiti, dominicanRepublic, florida])
  const trade = place === haiti ? 'Établissements' : place === florida ? 'Export' : 'Comercial'
  const name = `${trade} ${random.pick(place.lastNames)} ${place === haiti ? '& Fils' : place === florida ? 'LLC' : 'SRL'}`
  return { name, place, departments: [random.between(1, 10), random.between(1, 10)] }
}

export function makeVendors(random: Random, count: number): Vendor[] {
  const vendors: Vendor[] = []
  for (let id = 1; id <= count; id += 1) vendors.push(makeVendor(random, id, houses[id - 1] ?? nextHouse(random)))
  return vendors
}

function makeVendor(random: Random, id: number, { name, place, departments }: House): Vendor {
  const currency: Currency = place === haiti && random.chance(80) ? 'HTG' : 'USD'
  const isActive = id % 12 !== 9
  const domain = `${plainLetters(name.replace(/ (S\.A\.|SRL|LLC|Inc\.)$/, ''))}.example`
  const at = random.below(place.cities.length)
  const phone = () => {
    const start = random.pick(place.phone)
    if (place === florida) return start + String(random.between(10, 99))
    return `${start}${random.between(10, 99)}-${random.between(1000, 9999)}`
  }
  const created = -random.between(400, 2400) * DAY + random.between(30_000, 60_000)
  const row: DemoRow = [
    id,
    `F${String(id).padStart(4, '0')}`,
    name,
    random.chance(90) ? random.pick(place.firstNames) : null,
    random.chance(90) ? random.pick(place.lastNames) : null,
    random.chance(25) ? `${random.pick(place.firstNames)} ${random.pick(place.lastNames)} (comptabilité)` : null,
    phone(),
    random.chance(35) ? phone() : null,
    random.chance(85) ? `${random.pick(['ventes', 'info', 'export', 'contact'])}@${domain}` : null,
    random.chance(50) ? `https://www.${domain}` : null,
    `${random.between(1, 480)}, ${random.pick(place.streets)}`,
    place.cities[at] ?? null,
    random.chance(70) ? (place.zips[at] ?? null) : null,
    place.country,
    currency,
    isActive,
    momentText(created),
    momentText(created + random.below(Math.floor((LAST_MOMENT - created) / DAY)) * DAY),
  ]
  return { id, name, currency, isLocal: place === haiti, isActive, departments, row }
}
