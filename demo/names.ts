// Plausible Haitian names, streets and places. E-mail addresses end in the reserved `.example`.
import type { Random } from './random.ts'
import type { Theme } from './shelf.ts'

export const firstNames =
  `Marie Jean Pierre Joseph Rose Nadège Frantz Wilner Guerline Mirlande Fabiola Stanley Evens Ketly
  Roseline Guerda Woodley Jocelyne Emmanuel Dieudonné Ronald Yolette Lovely Daphnée Rodeline Kervens Sherline Esther Josué
  Moïse Élie Carline Wideline Jean-Claude Marie-Ange Rose-Laure Pierre-Richard Jean-Robert Marie-Thérèse Louis-Jacques
  Béatrice Gérard Yves Edwidge Myriam Réginald Schneider Widlyne Ruth Samuel Naomie Cassandre Jephté Gaëlle Hérold Anne
  Claudette Ernst Islande Magalie Nephtalie Ody Patrick Régine Sonel Tamara Vladimir Wisly Yvrose Zachée Islain Odilon`.split(
    /\s+/,
  )

export const lastNames =
  `Jean-Baptiste Pierre Joseph Louis Charles Étienne Désir Célestin François Antoine Toussaint Dorvil
  Saint-Fleur Jean-Louis Augustin Michel Laguerre Métellus Théodore Jérôme Destiné Exantus Bien-Aimé Duvivier Cadet
  Lhérisson Dieujuste D'Haïti L'Amour Alexis Bastien Cherubin Delva Estimé Fleurimond Gédéon Hyppolite Innocent Jacques
  Kernizan Lafleur Moïse Noël Olivier Paul Romulus Saintil Thélusma Ulysse Valcin Vilmé Zéphirin Beauvoir Casimir Dessources
  Élysée Fénelon Georges Henry Julien Lamothe Mondésir Nazaire Ovilmar Philistin Raymond Sylvain Télémaque Victor Dorcé`.split(
    /\s+/,
  )

export const nicknames = [
  'Ti Jan',
  'Madan Jo',
  'Fanfan',
  'Gwo Woje',
  'Ti Mari',
  'Bòs Pòl',
  'Manno',
  'Tonton Nò',
  'Dada',
]

// What follows the trade in a company's name.
export const mottoes =
  `Bon Samaritain|La Gerbe d'Or|L'Éternel est Grand|Men Anpil|Notre-Dame|Saint-Antoine|Dieu Avant Tout|
  Bellevue|La Grâce|L'Espoir|Soleil Levant|Lakay|Bon Berger|Le Progrès|La Différence|Kreyòl|L'Union|Saint-Jacques|
  La Référence|Étoile du Matin|Merci Jésus|La Providence|Chez Nous|Perle des Antilles|Toussaint Louverture|Ti Zwazo|
  La Persévérance|Saint-Michel|Bonne Nouvelle|Le Palmiste|Mapou|Belle Anse|La Colombe|Nouvelle Vision|Le Phare|Bon Repos`
    .split('|')
    .map((motto) => motto.trim())

// Trades by customer type (3 reseller, 4 company, 5 association, 6 school or institution), with what they buy.
export const trades: Record<3 | 4 | 5 | 6, readonly (readonly [string, Theme])[]> = {
  3: [
    ['Boutik', 'food'],
    ['Dépôt', 'food'],
    ['Épicerie', 'food'],
    ['Alimentation', 'food'],
    ['Quincaillerie', 'building'],
    ['Bazar', 'home'],
    ['Papeterie', 'school'],
    ['Électro', 'energy'],
    ['Pièces Auto', 'auto'],
    ['Market', 'food'],
  ],
  4: [
    ['Restaurant', 'food'],
    ['Boulangerie', 'food'],
    ['Hôtel', 'food'],
    ['Construction', 'building'],
    ['Entreprise Générale', 'building'],
    ['Atelier', 'building'],
    ['Transport', 'auto'],
    ['Garage', 'auto'],
    ['Énergie', 'energy'],
    ['Clinique', 'home'],
    ['Pharmacie', 'home'],
    ['Imprimerie', 'school'],
    ['Studio', 'home'],
  ],
  5: [
    ['Fondation', 'building'],
    ['Association', 'food'],
    ['Coopérative agricole', 'building'],
    ['Mission', 'food'],
    ['Comité de quartier', 'building'],
    ['Orphelinat', 'food'],
  ],
  6: [
    ['École', 'school'],
    ['Collège', 'school'],
    ['Institution', 'school'],
    ['Centre de santé', 'energy'],
    ['Église', 'building'],
    ['Lycée', 'school'],
    ['Paroisse', 'energy'],
  ],
}

const list = (text: string) => text.split('|').map((part) => part.trim())

// By the store that people live near: its cities with postal codes, and the streets of the first of them.
export const neighbourhoods: readonly { cities: readonly (readonly [string, string])[]; streets: readonly string[] }[] =
  [
    {
      cities: [
        ['Pétion-Ville', 'HT6140'],
        ['Port-au-Prince', 'HT6110'],
        ['Kenscoff', 'HT6141'],
        ['Thomassin', 'HT6142'],
      ],
      streets: list(`rue Grégoire|rue Panaméricaine|rue Lamarre|rue Métellus|rue Ogé|route de Frères|rue Clerveaux|
      avenue John Brown|rue Capois|ruelle Nazon|Laboule 12|rue des Fleurs`),
    },
    {
      cities: [
        ['Delmas', 'HT6120'],
        ['Tabarre', 'HT6123'],
        ['Croix-des-Bouquets', 'HT6210'],
        ['Carrefour', 'HT6130'],
      ],
      streets:
        list(`Delmas 19|Delmas 33|Delmas 48|Delmas 60, rue Mercier|Delmas 75|Delmas 83|Clercine 4|boulevard 15 Octobre|
      rue de l'Aéroport|route de Tabarre|Santo 17|rue Républicaine`),
    },
    {
      cities: [
        ['Cap-Haïtien', 'HT1110'],
        ['Limbé', 'HT1410'],
        ['Milot', 'HT1120'],
        ['Fort-Liberté', 'HT2110'],
      ],
      streets:
        list(`rue 5, boulevard du Cap|rue 17 L|rue 24 B|rue Espagnole|route Nationale #1, Vaudreuil|carrefour La Fossette|
      rue du Quai|Petite-Anse, route Nationale #6`),
    },
    {
      cities: [
        ['Jacmel', 'HT9110'],
        ['Marigot', 'HT9120'],
        ['Cayes-Jacmel', 'HT9130'],
      ],
      streets: list(
        `avenue Barranquilla|rue du Commerce|rue Veuve|avenue de la Liberté|rue Seymour Pradel|route de Lamandou`,
      ),
    },
    {
      cities: [
        ['Les Cayes', 'HT8110'],
        ['Camp-Perrin', 'HT8140'],
        ['Aquin', 'HT8210'],
        ['Jérémie', 'HT7110'],
      ],
      streets: list(
        `rue Général Marion|rue Nicolas Geffrard|4 Chemins|rue Stenio Vincent|route Nationale #2, Charpentier|rue Capois`,
      ),
    },
    {
      cities: [
        ['Gonaïves', 'HT4110'],
        ['Saint-Marc', 'HT4310'],
        ['Ennery', 'HT4120'],
        ["L'Estère", 'HT4140'],
      ],
      streets: list(
        `avenue des Dattes|rue Louverture|rue Égalité|route Nationale #1, Bigot|rue Clerveaux|rue Anténor Firmin`,
      ),
    },
  ]

const villageStreets = ['rue Principale', "rue de l'Église", 'rue du Marché', 'route Nationale', 'rue du Cimetière']

// In the Delmas way, a numbered road comes before the house.
export function drawAddress(random: Random, near: (typeof neighbourhoods)[number], city: string): string {
  const house = random.between(1, 260)
  const street = random.pick(city === near.cities[0]?.[0] ? near.streets : villageStreets)
  return /^(rue|ruelle|route|avenue|boulevard)/.test(street) ? `${house}, ${street}` : `${street}, #${house}`
}

export const plainLetters = (text: string) =>
  text
    .normalize('NFD')
    .replace(/[^A-Za-z0-9 -]/g, '')
    .toLowerCase()
    .trim()
    .replace(/[ -]+/g, '-')
