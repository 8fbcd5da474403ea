// The tables and columns of the POS of docs/connect, by what the source contract calls them. Its views read them; here it is the
// other way round, so that the rows of any test can be written into that POS.

// By the name of the relation. The POS has no archive.
export const tableNames: Readonly<Record<string, string>> = {
  stores: 'magasin',
  departments: 'rayon',
  sub_departments: 'famille',
  price_lists: 'tarif',
  customer_types: 'type_client',
  vendors: 'fournisseur',
  customers: 'client',
  products: 'article',
  product_prices: 'article_prix',
  product_stock: 'stock',
  invoices: 'vente',
  invoice_lines: 'vente_ligne',
  invoice_payments: 'vente_reglement',
  quotes: 'devis',
  quote_lines: 'devis_ligne',
  sales_orders: 'commande',
  sales_order_lines: 'commande_ligne',
  sales_order_payments: 'commande_acompte',
  payments: 'encaissement',
  payment_applications: 'encaissement_vente',
  purchase_orders: 'achat',
  purchase_order_lines: 'achat_ligne',
  receivings: 'reception',
  receiving_lines: 'reception_ligne',
  transfers: 'transfert',
  transfer_lines: 'transfert_ligne',
  adjustments: 'inventaire',
  adjustment_lines: 'inventaire_ligne',
}

// Those that end in _ct are in cents.
const words = `
  id no, code code, barcode gencod, name nom, description descriptif, kind nature, active supprime, size taille,
  attribute couleur, department_id rayon, sub_department_id famille, unit unite, second_unit unite2, vendor_id fournisseur,
  reorder_point seuil, currency devise, cost achat_ct, average_cost pamp_ct, order_cost commande_ct, price vente_ct,
  second_unit_price vente2_ct, created_at cree_le, updated_at modifie_le, date date_piece, number numero, store_id magasin,
  customer_id client, customer_name nom_client, status etat, payment_type mode_reglement, exchange_rate taux,
  quantity_total qte_totale, items_total articles_ct, tax taxe_ct, discount_percent remise_pc, discount_amount remise_ct,
  shipping port_ct, total total_ct, notes remarque, paid soldee, amount_paid paye_ct, deposit acompte_ct, cost_total cout_ct,
  po_number ref_client, quote_number no_devis, sales_order_number no_commande, ship_to_name livrer_nom,
  ship_to_address livrer_adresse, ship_to_phone livrer_tel, invoice_id vente, quote_id devis, sales_order_id commande,
  payment_id encaissement, purchase_order_id achat, receiving_id reception, transfer_id transfert, adjustment_id inventaire,
  product_id article, price_list_id tarif, quantity qte, delivered_quantity qte_livree, unit_price prix_ct,
  base_quantity qte_base, base_unit_price prix_base_ct, cash especes_ct, card carte_ct, cheque cheque_ct,
  cheque_number no_cheque, account compte_ct, amount_received recu_ct, invoice_number no_vente, amount montant_ct,
  vendor_name nom_fournisseur, receipt_number no_bl, receipt_date date_bl, freight fret_ct, fee frais_ct,
  new_price vente_nouveau_ct, previous_cost achat_avant_ct, previous_average_cost pamp_avant_ct, from_store_id depuis,
  to_store_id vers, reason motif, previous_quantity qte_avant, new_quantity qte_apres, quantity_difference qte_ecart,
  on_hand_quantity qte_stock, new_cost achat_apres_ct, cost_difference achat_ecart_ct, first_name prenom,
  last_name nom_famille, company_name societe, alt_name surnom, phone tel, phone2 tel2, email courriel, address adresse,
  city ville, zip cp, country pays, website site, payment_term delai, customer_type_id type_client, discount_level niveau_remise,
  discount_type type_remise, credit_limit plafond_ct, balance solde_ct, contact_first_name contact, contact_last_name contact,
  other_contact contact2, manager responsable, is_headquarters siege, on_sales_order reserve, on_purchase_order attendu`

const columnNames: ReadonlyMap<string, string> = new Map(
  words.split(',').map((pair) => pair.trim().split(' ') as [string, string]),
)

// Orders to vendors are in units of the currency.
export function columnName(relation: string, column: string): string {
  const name = columnNames.get(column)
  if (name === undefined) throw new Error(`Caisse has no name for ${column}`)
  return relation.startsWith('purchase_order') ? name.replace(/_ct$/, '') : name
}

// The letters of a status, and of a kind by its relation, by our codes.
export const statusLetters = 'BOAVXCRFTP'
export const kindLetters: Readonly<Record<string, string>> = {
  invoices: ' FA',
  products: ' SPCD',
  receivings: ' RT',
  adjustments: ' QC',
  invoice_lines: ' SPD',
  quote_lines: ' SPD',
  sales_order_lines: ' SPD',
}
