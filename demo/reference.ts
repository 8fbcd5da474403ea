// The company's reference data: stores, departments, price lists and customer types, and their rows.
import type { DemoRow } from './outbox.ts'

export interface Store {
  readonly id: number
  readonly code: string
  readonly city: string
  readonly weight: number
  readonly row: DemoRow
}

// id | code | city | weight in sales | name | address | manager | phone | second phone | e-mail
const storeLines = `
  1 | PV | Pétion-Ville | 30 | Pétion-Ville (siège) | 48, rue Grégoire, Pétion-Ville | Nadège Saint-Fleur | +509 2813-4400 | +509 3701-4400 | siege@magasin.example
  2 | DL | Delmas | 26 | Delmas | Delmas 33, #112, Delmas | Frantz Célestin | +509 2813-4410 | +509 3701-4410 | delmas@magasin.example
  3 | CH | Cap-Haïtien | 16 | Cap-Haïtien | Angle rues 17 et L, Cap-Haïtien | Wilner Jean-Baptiste | +509 2813-4420 | +509 4402-4420 | cap@magasin.example
  4 | JC | Jacmel | 7 | Jacmel | 27, avenue de la Liberté, Jacmel | Mirlande Désir | +509 2813-4430 | | jacmel@magasin.example
  5 | LC | Les Cayes | 11 | Les Cayes | 9, rue Général Marion, Les Cayes | Pierre-Richard Augustin | +509 2813-4440 | +509 4402-4440 | cayes@magasin.example
  6 | GN | Gonaïves | 10 | Gonaïves | Avenue des Dattes, près de la place d'Armes, Gonaïves | Guerline Théodore | +509 2813-4450 | |`

export const stores: readonly Store[] = storeLines
  .trim()
  .split('\n')
  .map((line) => {
    const [id = '', code = '', city = '', weight = '', ...rest] = line.split('|').map((part) => part.trim())
    const row = [Number(id), code, ...rest.map((part) => part || null), id === '1']
    return { id: Number(id), code, city, weight: Number(weight), row }
  })

export const storeWeights = stores.map((each) => each.weight)

export const departments: readonly DemoRow[] = [
  [1, 'ALI', 'Alimentation', 'Yolette Dorvil'],
  [2, 'BOI', 'Boissons', 'Yolette Dorvil'],
  [3, 'HYG', 'Hygiène et entretien', 'Rose-Laure Michel'],
  [4, 'MEN', 'Ménage et maison', 'Rose-Laure Michel'],
  [5, 'MAT', 'Matériaux de construction', 'Evens Laguerre'],
  [6, 'QUI', 'Quincaillerie et outillage', 'Evens Laguerre'],
  [7, 'ENE', 'Énergie et électricité', 'Stanley Métellus'],
  [8, 'ELE', 'Électroménager', 'Stanley Métellus'],
  [9, 'AUT', 'Auto et moto', 'Dieudonné Exantus'],
  [10, 'SCO', 'Papeterie et scolaire', 'Fabiola Jérôme'],
  [11, 'SRV', 'Services', null],
  [12, 'DIV', 'Divers et commandes spéciales', null],
]

export const subDepartments: readonly DemoRow[] = [
  [1, 'GRA', 'Céréales et grains', 'Yolette Dorvil'],
  [2, 'EPI', 'Épicerie et conserves', 'Yolette Dorvil'],
  [3, 'EAU', 'Eaux, jus et sodas', 'Jocelyne Cadet'],
  [4, 'ALC', 'Bières et spiritueux', 'Jocelyne Cadet'],
  [5, 'LES', 'Lessive et entretien', null],
  [6, 'SOI', 'Soins et bébé', null],
  [7, 'CUI', 'Cuisine et table', 'Rose-Laure Michel'],
  [8, 'MEU', 'Meubles et literie', 'Rose-Laure Michel'],
  [9, 'CIM', 'Ciment et agrégats', 'Evens Laguerre'],
  [10, 'FER', 'Fer et tôle', 'Evens Laguerre'],
  [11, 'BOI', 'Bois et portes', 'Ronald Toussaint'],
  [12, 'PLO', 'Plomberie', 'Ronald Toussaint'],
  [13, 'PEI', 'Peinture et finition', 'Ronald Toussaint'],
  [14, 'OUT', 'Outillage', null],
  [15, 'VIS', 'Visserie et serrurerie', null],
  [16, 'SOL', 'Panneaux et lampes solaires', 'Stanley Métellus'],
  [17, 'BAT', 'Batteries et onduleurs', 'Stanley Métellus'],
  [18, 'GEN', 'Génératrices', 'Stanley Métellus'],
  [19, 'ELC', 'Électricité', 'Josué Antoine'],
  [20, 'FRO', 'Froid, cuisson et linge', 'Daphnée Louis'],
  [21, 'IMG', 'Image et son', 'Daphnée Louis'],
  [22, 'PNE', 'Pneus', 'Dieudonné Exantus'],
  [23, 'PIE', 'Pièces et lubrifiants', 'Dieudonné Exantus'],
  [24, 'CAH', 'Cahiers et papier', 'Fabiola Jérôme'],
  [25, 'FOU', 'Fournitures et uniformes', 'Fabiola Jérôme'],
  [26, 'MOE', "Main-d'œuvre", null],
  [27, 'LIV', 'Livraison et location', null],
  [28, 'KIT', 'Kits et paniers', 'Fabiola Jérôme'],
  [29, 'SPE', 'Commandes spéciales', null],
]

// The seven price lists, each with the part of the margin that it gives away, in percent: no list sells below cost.
export const priceLists: readonly { readonly row: DemoRow; readonly givenAway: number }[] = [
  { row: [1, 'DET', 'Prix de détail'], givenAway: 0 },
  { row: [2, 'FID', 'Clients fidèles'], givenAway: 12 },
  { row: [3, 'REV', 'Revendeurs'], givenAway: 35 },
  { row: [4, 'GRO', 'Gros'], givenAway: 45 },
  { row: [5, 'ENT', 'Entreprises'], givenAway: 20 },
  { row: [6, 'INS', 'ONG et institutions'], givenAway: 28 },
  { row: [7, 'EMP', 'Employés'], givenAway: 40 },
]

export const customerTypes: readonly DemoRow[] = [
  [1, 'CPT', 'Comptoir'],
  [2, 'PAR', 'Particulier'],
  [3, 'REV', 'Revendeur'],
  [4, 'ENT', 'Entreprise'],
  [5, 'ONG', 'ONG et association'],
  [6, 'INS', 'École et institution'],
  [7, 'EMP', 'Employé'],
]
