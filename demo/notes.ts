// What people write on documents: notes, free-text lines, reasons.
import type { Currency } from './money.ts'
import type { Random } from './random.ts'

const saleNotes = [
  'Livraison à effectuer avant midi',
  'Le client passera récupérer la marchandise samedi',
  'Appeler avant de livrer',
  "Marchandise vérifiée à la sortie par l'agent de sécurité",
  'Facture à remettre à la comptabilité',
  "Livrer à l'arrière du bâtiment, portail bleu",
  'Garantie un an sur présentation de la facture',
  'Prix convenu avec la direction',
  'Kliyan an ap tounen chèche rès la demen',
  'Transport à la charge du client',
  'Chantye Mòn Kabrit, mande pou Bòs Pòl',
]
const quoteNotes = [
  'Offre valable 15 jours',
  'Offre valable 30 jours, sous réserve de disponibilité',
  'Prix hors installation',
  'À confirmer avec le responsable des achats',
  'Devis demandé par téléphone',
]
const orderNotes = [
  'Acompte de 50 % à la commande',
  'À livrer en deux fois',
  'Le client souhaite être prévenu dès réception',
  "En attente de l'arrivée du conteneur",
  'Commande urgente',
]
const purchaseNotes = [
  'Confirmer le délai par e-mail',
  'Livraison au dépôt de Delmas',
  'Joindre la liste de colisage',
  'Conteneur de 20 pieds, port de Port-au-Prince',
  'Prévoir le dédouanement à Malpasse',
]
const transferNotes = ['Réassort hebdomadaire', 'Demande du magasin', 'Rupture de stock', 'Camion du mardi', null, null]
export const voidNotes = [
  'Annulée : erreur de saisie',
  'Annulée à la demande du client',
  'Annulée : double enregistrement',
]
export const quantityReasons = [
  'Inventaire physique',
  'Casse',
  'Vol constaté',
  'Erreur de saisie',
  'Échantillon remis au client',
]
// Only what people eat goes out of date.
export const foodReasons = [...quantityReasons, 'Produit périmé', "Sacs déchirés à l'entrepôt"]
export const costReasons = [
  'Correction du coût',
  'Frais de douane ajoutés',
  'Nouveau tarif du fournisseur',
  "Erreur d'achat",
]

const notes = {
  sale: saleNotes,
  quote: quoteNotes,
  order: orderNotes,
  purchase: purchaseNotes,
  transfer: transferNotes,
}

export function drawNote(random: Random, kind: keyof typeof notes, percent: number): string | null {
  return random.chance(percent) ? random.pick(notes[kind]) : null
}

// Lines that are typed in at the till, with a usual price in dollars.
const freeLines: readonly (readonly [string, 2 | 3, number])[] = [
  ['Transport spécial vers Jérémie', 2, 90],
  ['Transport par camion, Port-au-Prince', 2, 35],
  ['Découpe sur mesure', 2, 6],
  ['Emballage cadeau', 3, 2],
  ['Article divers, sans code', 3, 8],
  ['Manutention et chargement', 2, 12],
  ['Moso bwa rès', 3, 4],
  ["Location d'un camion, demi-journée", 2, 60],
]

interface FreeText {
  readonly name: string
  readonly kind: 2 | 3
  readonly cents: number
}

export function drawFreeText(random: Random, currency: Currency): FreeText {
  const [name, kind, dollars] = random.pick(freeLines)
  const cents = currency === 'USD' ? dollars * 100 : dollars * 132 * 100
  const step = currency === 'USD' ? 50 : 2500
  return { name, kind, cents: Math.max(step, Math.round((cents * random.between(80, 125)) / 100 / step) * step) }
}
