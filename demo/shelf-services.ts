// What is not taken from a shelf: services, kits that are put together, and special items.
import type { Shelf } from './shelf.ts'

export const serviceShelves: readonly Shelf[] = [
  {
    department: 11,
    subDepartment: 26,
    theme: 'building',
    currency: 'HTG',
    margin: 60,
    kind: 2,
    brands: [],
    items: `
      Coupe de tôle        | La coupe                                      | Unité | 75   | 1-10
      Coupe de bois        | La coupe                                      | Unité | 50   | 1-12
      Mise à la teinte     | Mélange de peinture à la machine              | Galon | 150  | 1-5
      Pliage de fer        | Cadres et étriers                             | Unité | 25   | 20-150/10
      Pose de carrelage    | Le mètre carré                                | m²    | 950  | 6-40`,
  },
  {
    department: 11,
    subDepartment: 26,
    theme: 'energy',
    currency: 'USD',
    margin: 55,
    kind: 2,
    brands: [],
    items: `
      Installation panneaux solaires | Par panneau, matériel de fixation non compris | Unité | 25 | 2-8
      Installation d'onduleur | Mise en service et réglages                | Unité | 85   | 1-1 | 1,5 à 3 kW, 5 à 12 kW*2
      Entretien de génératrice | Vidange, filtres, essai en charge         | Unité | 65   | 1-1 | essence, diesel*2.2
      Étude solaire        | Visite et bilan de consommation               | Unité | 50   | 1-1
      Réparation d'onduleur| Diagnostic et main-d'œuvre                    | Heure | 30   | 1-4`,
  },
  {
    department: 11,
    subDepartment: 26,
    theme: 'auto',
    currency: 'HTG',
    margin: 60,
    kind: 2,
    brands: [],
    items: `
      Montage de pneu      |                                               | Unité | 350  | 1-4 | auto, camion*2.5
      Équilibrage          |                                               | Unité | 300  | 2-4
      Vidange              | Main-d'œuvre                                  | Unité | 750  | 1-1 | auto, pick-up*1.4`,
  },
  {
    department: 11,
    subDepartment: 26,
    theme: 'school',
    currency: 'HTG',
    margin: 65,
    kind: 2,
    brands: [],
    items: `
      Photocopie           | Noir et blanc                                 | Page  | 10   | 5-120/5
      Reliure              | Reliure spirale                               | Unité | 250  | 1-4
      Broderie d'écusson   | Sur uniforme fourni                           | Unité | 175  | 1-12`,
  },
  {
    department: 11,
    subDepartment: 27,
    theme: 'home',
    currency: 'HTG',
    margin: 45,
    kind: 2,
    brands: [],
    items: `
      Livraison à domicile |                                               | Course| 750  | 1-1 | zone 1, zone 2*1.7, zone 3*2.7, province*6
      Installation de climatiseur | Pose et mise en service                | Unité | 9500 | 1-2
      Location échafaudage | Par jour                                      | Jour  | 1250 | 1-10
      Location génératrice | Par jour, carburant non compris               | Jour  | 6500 | 1-3`,
  },
  {
    department: 7,
    subDepartment: 28,
    theme: 'energy',
    currency: 'USD',
    margin: 21,
    kind: 3,
    brands: ['Fòs Plis', 'Heliana', 'Zenit'],
    items: `
      Kit solaire résidentiel | Panneaux, onduleur, batteries et câblage   | Kit   | 690  | 1-1 | 500 W, 1 kW*1.8, 3 kW*4.6, 5 kW*7.4
      Kit éclairage solaire| Panneau, régulateur, 4 lampes                 | Kit   | 89   | 1-4
      Kit d'alarme solaire | Caméra, panneau et batterie                   | Kit   | 145  | 1-2`,
  },
  {
    department: 1,
    subDepartment: 28,
    theme: 'food',
    currency: 'HTG',
    margin: 16,
    kind: 3,
    brands: [],
    items: `
      Panye manje          | Riz, pois, huile, sucre, sardines             | Panye | 3900 | 1-5 | fanmi, gwo fanmi*1.7
      Panye fèt            | Panier de fin d'année                         | Panye | 7500 | 1-3 | senp, deliks*1.8
      Twous ijyèn          | Savon, dentifrice, brosse, serviettes         | Twous | 1150 | 1-20`,
  },
  {
    department: 10,
    subDepartment: 28,
    theme: 'school',
    currency: 'HTG',
    margin: 22,
    kind: 3,
    brands: [],
    items: `
      Kit lekòl            | Sac, cahiers, stylos, trousse de géométrie    | Kit   | 3450 | 1-4 | primè, segondè*1.35`,
  },
  {
    department: 6,
    subDepartment: 28,
    theme: 'building',
    currency: 'USD',
    margin: 25,
    kind: 3,
    brands: ['Fòs', 'Chantye'],
    items: `
      Trousse de maçon     | Truelle, niveau, fil à plomb, mètre           | Kit   | 39   | 1-2
      Trousse de plombier  | Clés, filasse, scie et colle                  | Kit   | 58   | 1-2`,
  },
  {
    department: 12,
    subDepartment: 29,
    theme: 'home',
    currency: 'HTG',
    margin: 12,
    kind: 4,
    brands: [],
    items: `
      Carte-cadeau         | Valable un an dans tous les magasins          | Unité | 1000 | 1-2 | 1000 HTG, 2500 HTG*2.5, 5000 HTG*5
      Consigne bouteilles  | Dépôt remboursable                            | Kès   | 300  | 1-6
      Frais de dossier     | Commande spéciale                             | Unité | 500  | 1-1
      Article en solde     | Fin de série, ni repris ni échangé            | Unité | 450  | 1-3 | petit, moyen*2.2, grand*5
      Frais de douane refacturés | Sur commande spéciale                   | Unité | 4500 | 1-1
      Pièce sur commande   | Commandée chez le fabricant                   | Unité | 6200 | 1-2`,
  },
]
