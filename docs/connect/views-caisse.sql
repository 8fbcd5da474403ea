-- The views through which Vitrine reads Caisse (caisse.sql) in PostgreSQL. docs/connect-your-pos.md explains them, and lists the words
-- that differ in MariaDB, MySQL and SQLite.
--   psql --set ON_ERROR_STOP=1 --file views-caisse.sql DATABASE
BEGIN;
CREATE SCHEMA IF NOT EXISTS vitrine_views;
SET LOCAL search_path TO vitrine_views;

-- All at once, so that the file can be run again after a change: one may read another.
DROP VIEW IF EXISTS stores, departments, sub_departments, price_lists, customer_types, vendors, customers, products,
  product_prices, product_stock, invoices, invoices_archive, invoice_lines, invoice_lines_archive, invoice_payments,
  invoice_payments_archive, quotes, quotes_archive, quote_lines, quote_lines_archive, sales_orders, sales_order_lines,
  sales_order_payments, payments, payment_applications, purchase_orders, purchase_order_lines, receivings,
  receiving_lines, transfers, transfer_lines, adjustments, adjustment_lines;

CREATE VIEW stores AS
SELECT
  m.no AS id,
  m.code AS code,
  m.nom AS name,
  m.adresse AS address,
  m.responsable AS manager,
  m.tel AS phone,
  m.tel2 AS phone2,
  m.courriel AS email,
  m.siege = 'O' AS is_headquarters
FROM caisse.magasin m;

CREATE VIEW departments AS
SELECT
  r.no AS id,
  r.code AS code,
  r.nom AS name,
  r.responsable AS manager
FROM caisse.rayon r;

CREATE VIEW sub_departments AS
SELECT
  f.no AS id,
  f.code AS code,
  f.nom AS name,
  f.responsable AS manager
FROM caisse.famille f;

CREATE VIEW price_lists AS
SELECT
  t.no AS id,
  t.code AS code,
  t.nom AS name
FROM caisse.tarif t;

CREATE VIEW customer_types AS
SELECT
  t.no AS id,
  t.code AS code,
  t.nom AS name
FROM caisse.type_client t;

-- The contact is one text, 'Last name, First name'. What is marked as deleted is no longer active.
CREATE VIEW vendors AS
SELECT
  f.no AS id,
  f.code AS code,
  f.nom AS name,
  CASE WHEN f.contact LIKE '%, %' THEN substr(f.contact, strpos(f.contact, ', ') + 2) END AS contact_first_name,
  nullif(split_part(f.contact, ', ', 1), '') AS contact_last_name,
  f.contact2 AS other_contact,
  f.tel AS phone,
  f.tel2 AS phone2,
  f.courriel AS email,
  f.site AS website,
  f.adresse AS address,
  f.ville AS city,
  f.cp AS zip,
  f.pays AS country,
  f.devise AS currency,
  f.supprime = 0 AS active,
  CASE WHEN f.cree_le > '0001' THEN CAST(f.cree_le AS timestamp) END AS created_at,
  CASE WHEN f.modifie_le > '0001' THEN CAST(f.modifie_le AS timestamp) END AS updated_at
FROM caisse.fournisseur f;

CREATE VIEW customers AS
SELECT
  c.no AS id,
  c.code AS code,
  c.nom AS name,
  c.prenom AS first_name,
  c.nom_famille AS last_name,
  c.societe AS company_name,
  c.surnom AS alt_name,
  c.tel AS phone,
  c.tel2 AS phone2,
  c.courriel AS email,
  c.adresse AS address,
  c.ville AS city,
  c.cp AS zip,
  c.devise AS currency,
  c.delai AS payment_term,
  c.supprime = 0 AS active,
  c.type_client AS customer_type_id,
  c.tarif AS price_list_id,
  c.niveau_remise AS discount_level,
  c.type_remise AS discount_type,
  c.plafond_ct * 0.01 AS credit_limit,
  c.solde_ct * 0.01 AS balance,
  CASE WHEN c.cree_le > '0001' THEN CAST(c.cree_le AS timestamp) END AS created_at,
  CASE WHEN c.modifie_le > '0001' THEN CAST(c.modifie_le AS timestamp) END AS updated_at
FROM caisse.client c;

-- Letters become our codes, cents an exact number, texts a time; a zero date is none.
CREATE VIEW products AS
SELECT
  a.no AS id,
  a.code AS code,
  a.gencod AS barcode,
  a.nom AS name,
  a.descriptif AS description,
  CASE a.nature WHEN 'S' THEN 1 WHEN 'P' THEN 2 WHEN 'C' THEN 3 WHEN 'D' THEN 4 ELSE ascii(a.nature) END AS kind,
  a.supprime = 0 AS active,
  a.taille AS size,
  a.couleur AS attribute,
  a.rayon AS department_id,
  a.famille AS sub_department_id,
  a.unite AS unit,
  a.unite2 AS second_unit,
  a.fournisseur AS vendor_id,
  a.seuil AS reorder_point,
  a.devise AS currency,
  a.achat_ct * 0.01 AS cost,
  a.pamp_ct * 0.01 AS average_cost,
  a.commande_ct * 0.01 AS order_cost,
  a.vente_ct * 0.01 AS price,
  a.vente2_ct * 0.01 AS second_unit_price,
  CASE WHEN a.cree_le > '0001' THEN CAST(a.cree_le AS timestamp) END AS created_at,
  CASE WHEN a.modifie_le > '0001' THEN CAST(a.modifie_le AS timestamp) END AS updated_at
FROM caisse.article a;

-- One column for each price list becomes one row for each.
CREATE VIEW product_prices AS
SELECT article AS product_id, 1 AS price_list_id, vente_1_ct * 0.01 AS price, vente2_1_ct * 0.01 AS second_unit_price
  FROM caisse.article_prix WHERE coalesce(vente_1_ct, vente2_1_ct) IS NOT NULL
UNION ALL SELECT article, 2, vente_2_ct * 0.01, vente2_2_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_2_ct, vente2_2_ct) IS NOT NULL
UNION ALL SELECT article, 3, vente_3_ct * 0.01, vente2_3_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_3_ct, vente2_3_ct) IS NOT NULL
UNION ALL SELECT article, 4, vente_4_ct * 0.01, vente2_4_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_4_ct, vente2_4_ct) IS NOT NULL
UNION ALL SELECT article, 5, vente_5_ct * 0.01, vente2_5_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_5_ct, vente2_5_ct) IS NOT NULL
UNION ALL SELECT article, 6, vente_6_ct * 0.01, vente2_6_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_6_ct, vente2_6_ct) IS NOT NULL
UNION ALL SELECT article, 7, vente_7_ct * 0.01, vente2_7_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_7_ct, vente2_7_ct) IS NOT NULL
UNION ALL SELECT article, 8, vente_8_ct * 0.01, vente2_8_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_8_ct, vente2_8_ct) IS NOT NULL
UNION ALL SELECT article, 9, vente_9_ct * 0.01, vente2_9_ct * 0.01
  FROM caisse.article_prix WHERE coalesce(vente_9_ct, vente2_9_ct) IS NOT NULL;

CREATE VIEW product_stock AS
SELECT
  s.article AS product_id,
  s.magasin AS store_id,
  s.qte AS quantity,
  s.reserve AS on_sales_order,
  s.attendu AS on_purchase_order
FROM caisse.stock s;

-- A letter that is not named here becomes its number, 90 for Z: it is shown as null, and the log tells of it.
CREATE VIEW invoices AS
SELECT
  v.no AS id,
  CASE v.nature WHEN 'F' THEN 1 WHEN 'A' THEN 2 ELSE ascii(v.nature) END AS kind,
  v.numero AS number,
  v.magasin AS store_id,
  CASE WHEN v.date_piece > '0001' THEN CAST(v.date_piece AS timestamp) END AS date,
  v.client AS customer_id,
  v.nom_client AS customer_name,
  CASE v.etat WHEN 'B' THEN 0 WHEN 'O' THEN 1 WHEN 'A' THEN 2 WHEN 'V' THEN 3 WHEN 'X' THEN 4 ELSE ascii(v.etat) END AS status,
  v.mode_reglement AS payment_type,
  v.devise AS currency,
  v.taux AS exchange_rate,
  v.qte_totale AS quantity_total,
  v.articles_ct * 0.01 AS items_total,
  v.taxe_ct * 0.01 AS tax,
  v.remise_pc AS discount_percent,
  v.remise_ct * 0.01 AS discount_amount,
  v.port_ct * 0.01 AS shipping,
  v.total_ct * 0.01 AS total,
  v.remarque AS notes,
  CASE WHEN v.cree_le > '0001' THEN CAST(v.cree_le AS timestamp) END AS created_at,
  CASE WHEN v.modifie_le > '0001' THEN CAST(v.modifie_le AS timestamp) END AS updated_at,
  v.soldee = 'O' AS paid,
  v.paye_ct * 0.01 AS amount_paid,
  v.acompte_ct * 0.01 AS deposit,
  v.cout_ct * 0.01 AS cost_total,
  v.ref_client AS po_number,
  v.no_devis AS quote_number,
  v.no_commande AS sales_order_number
FROM caisse.vente v;

-- Caisse has no archive: all sales are in invoices.
CREATE VIEW invoices_archive AS SELECT * FROM invoices WHERE false;

CREATE VIEW invoice_lines AS
SELECT
  v.no AS id,
  v.vente AS invoice_id,
  v.article AS product_id,
  v.nom AS name,
  v.descriptif AS description,
  CASE v.nature WHEN 'S' THEN 1 WHEN 'P' THEN 2 WHEN 'D' THEN 3 ELSE ascii(v.nature) END AS kind,
  v.qte AS quantity,
  v.unite AS unit,
  v.prix_ct * 0.01 AS unit_price,
  v.qte_base AS base_quantity,
  v.prix_base_ct * 0.01 AS base_unit_price,
  v.achat_ct * 0.01 AS cost
FROM caisse.vente_ligne v;

CREATE VIEW invoice_lines_archive AS SELECT * FROM invoice_lines WHERE false;

CREATE VIEW invoice_payments AS
SELECT
  v.no AS id,
  v.vente AS invoice_id,
  CASE WHEN v.date_piece > '0001' THEN CAST(v.date_piece AS timestamp) END AS date,
  v.especes_ct * 0.01 AS cash,
  v.carte_ct * 0.01 AS card,
  v.cheque_ct * 0.01 AS cheque,
  v.no_cheque AS cheque_number,
  v.compte_ct * 0.01 AS account,
  v.acompte_ct * 0.01 AS deposit,
  v.devise AS currency,
  v.taux AS exchange_rate
FROM caisse.vente_reglement v;

CREATE VIEW invoice_payments_archive AS SELECT * FROM invoice_payments WHERE false;

CREATE VIEW quotes AS
SELECT
  d.no AS id,
  d.numero AS number,
  d.magasin AS store_id,
  CASE WHEN d.date_piece > '0001' THEN CAST(d.date_piece AS timestamp) END AS date,
  d.client AS customer_id,
  d.nom_client AS customer_name,
  CASE d.etat WHEN 'A' THEN 2 WHEN 'O' THEN 1 WHEN 'C' THEN 5 WHEN 'X' THEN 4 ELSE ascii(d.etat) END AS status,
  d.mode_reglement AS payment_type,
  d.devise AS currency,
  d.taux AS exchange_rate,
  d.qte_totale AS quantity_total,
  d.articles_ct * 0.01 AS items_total,
  d.taxe_ct * 0.01 AS tax,
  d.remise_pc AS discount_percent,
  d.remise_ct * 0.01 AS discount_amount,
  d.port_ct * 0.01 AS shipping,
  d.total_ct * 0.01 AS total,
  d.remarque AS notes,
  CASE WHEN d.cree_le > '0001' THEN CAST(d.cree_le AS timestamp) END AS created_at,
  CASE WHEN d.modifie_le > '0001' THEN CAST(d.modifie_le AS timestamp) END AS updated_at,
  d.livrer_nom AS ship_to_name,
  d.livrer_adresse AS ship_to_address,
  d.livrer_tel AS ship_to_phone
FROM caisse.devis d;

-- No archive here, either.
CREATE VIEW quotes_archive AS SELECT * FROM quotes WHERE false;

CREATE VIEW quote_lines AS
SELECT
  d.no AS id,
  d.devis AS quote_id,
  d.article AS product_id,
  d.nom AS name,
  d.descriptif AS description,
  CASE d.nature WHEN 'S' THEN 1 WHEN 'P' THEN 2 WHEN 'D' THEN 3 ELSE ascii(d.nature) END AS kind,
  d.qte AS quantity,
  d.unite AS unit,
  d.prix_ct * 0.01 AS unit_price,
  d.qte_base AS base_quantity,
  d.prix_base_ct * 0.01 AS base_unit_price,
  d.achat_ct * 0.01 AS cost
FROM caisse.devis_ligne d;

CREATE VIEW quote_lines_archive AS SELECT * FROM quote_lines WHERE false;

CREATE VIEW sales_orders AS
SELECT
  c.no AS id,
  c.numero AS number,
  c.magasin AS store_id,
  CASE WHEN c.date_piece > '0001' THEN CAST(c.date_piece AS timestamp) END AS date,
  c.client AS customer_id,
  c.nom_client AS customer_name,
  CASE c.etat WHEN 'B' THEN 0 WHEN 'O' THEN 1 WHEN 'A' THEN 2 WHEN 'C' THEN 5 WHEN 'R' THEN 6 WHEN 'F' THEN 7 ELSE ascii(c.etat) END AS status,
  c.mode_reglement AS payment_type,
  c.devise AS currency,
  c.taux AS exchange_rate,
  c.qte_totale AS quantity_total,
  c.articles_ct * 0.01 AS items_total,
  c.taxe_ct * 0.01 AS tax,
  c.remise_pc AS discount_percent,
  c.remise_ct * 0.01 AS discount_amount,
  c.port_ct * 0.01 AS shipping,
  c.total_ct * 0.01 AS total,
  c.remarque AS notes,
  CASE WHEN c.cree_le > '0001' THEN CAST(c.cree_le AS timestamp) END AS created_at,
  CASE WHEN c.modifie_le > '0001' THEN CAST(c.modifie_le AS timestamp) END AS updated_at,
  c.paye_ct * 0.01 AS amount_paid,
  c.cout_ct * 0.01 AS cost_total,
  c.no_devis AS quote_number,
  c.livrer_nom AS ship_to_name,
  c.livrer_adresse AS ship_to_address,
  c.livrer_tel AS ship_to_phone
FROM caisse.commande c;

CREATE VIEW sales_order_lines AS
SELECT
  c.no AS id,
  c.commande AS sales_order_id,
  c.article AS product_id,
  c.nom AS name,
  c.descriptif AS description,
  CASE c.nature WHEN 'S' THEN 1 WHEN 'P' THEN 2 WHEN 'D' THEN 3 ELSE ascii(c.nature) END AS kind,
  c.qte AS quantity,
  c.qte_livree AS delivered_quantity,
  c.unite AS unit,
  c.prix_ct * 0.01 AS unit_price,
  c.qte_base AS base_quantity,
  c.prix_base_ct * 0.01 AS base_unit_price,
  c.achat_ct * 0.01 AS cost
FROM caisse.commande_ligne c;

CREATE VIEW sales_order_payments AS
SELECT
  c.no AS id,
  c.commande AS sales_order_id,
  CASE WHEN c.date_piece > '0001' THEN CAST(c.date_piece AS timestamp) END AS date,
  c.especes_ct * 0.01 AS cash,
  c.carte_ct * 0.01 AS card,
  c.cheque_ct * 0.01 AS cheque,
  c.no_cheque AS cheque_number,
  c.devise AS currency,
  c.taux AS exchange_rate,
  c.remarque AS notes
FROM caisse.commande_acompte c;

CREATE VIEW payments AS
SELECT
  e.no AS id,
  e.numero AS number,
  e.magasin AS store_id,
  CASE WHEN e.date_piece > '0001' THEN CAST(e.date_piece AS timestamp) END AS date,
  e.client AS customer_id,
  e.nom_client AS customer_name,
  CASE e.etat WHEN 'V' THEN 3 WHEN 'X' THEN 4 ELSE ascii(e.etat) END AS status,
  e.mode_reglement AS payment_type,
  e.devise AS currency,
  e.taux AS exchange_rate,
  e.recu_ct * 0.01 AS amount_received,
  e.especes_ct * 0.01 AS cash,
  e.carte_ct * 0.01 AS card,
  e.cheque_ct * 0.01 AS cheque,
  e.no_cheque AS cheque_number,
  e.remarque AS notes,
  CASE WHEN e.cree_le > '0001' THEN CAST(e.cree_le AS timestamp) END AS created_at,
  CASE WHEN e.modifie_le > '0001' THEN CAST(e.modifie_le AS timestamp) END AS updated_at
FROM caisse.encaissement e;

CREATE VIEW payment_applications AS
SELECT
  e.no AS id,
  e.encaissement AS payment_id,
  e.vente AS invoice_id,
  e.no_vente AS invoice_number,
  e.montant_ct * 0.01 AS amount,
  CASE WHEN e.date_piece > '0001' THEN CAST(e.date_piece AS timestamp) END AS date
FROM caisse.encaissement_vente e;

CREATE VIEW purchase_orders AS
SELECT
  a.no AS id,
  a.numero AS number,
  a.magasin AS store_id,
  CASE WHEN a.date_piece > '0001' THEN CAST(a.date_piece AS timestamp) END AS date,
  a.fournisseur AS vendor_id,
  a.nom_fournisseur AS vendor_name,
  CASE a.etat WHEN 'A' THEN 2 WHEN 'O' THEN 1 WHEN 'T' THEN 8 WHEN 'F' THEN 7 ELSE ascii(a.etat) END AS status,
  a.devise AS currency,
  a.taux AS exchange_rate,
  a.qte_totale AS quantity_total,
  a.articles AS items_total,
  a.taxe AS tax,
  a.total AS total,
  a.remarque AS notes,
  CASE WHEN a.cree_le > '0001' THEN CAST(a.cree_le AS timestamp) END AS created_at,
  CASE WHEN a.modifie_le > '0001' THEN CAST(a.modifie_le AS timestamp) END AS updated_at
FROM caisse.achat a;

CREATE VIEW purchase_order_lines AS
SELECT
  a.no AS id,
  a.achat AS purchase_order_id,
  a.article AS product_id,
  a.nom AS name,
  a.descriptif AS description,
  a.qte AS quantity,
  a.unite AS unit,
  a.prix AS unit_price,
  a.qte_base AS base_quantity
FROM caisse.achat_ligne a;

CREATE VIEW receivings AS
SELECT
  r.no AS id,
  CASE r.nature WHEN 'R' THEN 1 WHEN 'T' THEN 2 ELSE ascii(r.nature) END AS kind,
  r.numero AS number,
  r.magasin AS store_id,
  CASE WHEN r.date_piece > '0001' THEN CAST(r.date_piece AS timestamp) END AS date,
  r.no_bl AS receipt_number,
  CASE WHEN r.date_bl > '0001' THEN CAST(r.date_bl AS date) END AS receipt_date,
  r.achat AS purchase_order_id,
  r.fournisseur AS vendor_id,
  r.nom_fournisseur AS vendor_name,
  CASE r.etat WHEN 'O' THEN 1 WHEN 'A' THEN 2 WHEN 'P' THEN 9 WHEN 'X' THEN 4 ELSE ascii(r.etat) END AS status,
  r.devise AS currency,
  r.taux AS exchange_rate,
  r.qte_totale AS quantity_total,
  r.articles_ct * 0.01 AS items_total,
  r.remise_pc AS discount_percent,
  r.remise_ct * 0.01 AS discount_amount,
  r.taxe_ct * 0.01 AS tax,
  r.fret_ct * 0.01 AS freight,
  r.frais_ct * 0.01 AS fee,
  r.total_ct * 0.01 AS total,
  r.remarque AS notes,
  CASE WHEN r.cree_le > '0001' THEN CAST(r.cree_le AS timestamp) END AS created_at,
  CASE WHEN r.modifie_le > '0001' THEN CAST(r.modifie_le AS timestamp) END AS updated_at
FROM caisse.reception r;

CREATE VIEW receiving_lines AS
SELECT
  r.no AS id,
  r.reception AS receiving_id,
  r.article AS product_id,
  r.nom AS name,
  r.descriptif AS description,
  r.gencod AS barcode,
  r.qte AS quantity,
  r.unite AS unit,
  r.prix_ct * 0.01 AS unit_price,
  r.vente_nouveau_ct * 0.01 AS new_price,
  r.qte_base AS base_quantity,
  r.pamp_ct * 0.01 AS average_cost,
  r.achat_avant_ct * 0.01 AS previous_cost,
  r.pamp_avant_ct * 0.01 AS previous_average_cost
FROM caisse.reception_ligne r;

CREATE VIEW transfers AS
SELECT
  t.no AS id,
  t.numero AS number,
  CASE WHEN t.date_piece > '0001' THEN CAST(t.date_piece AS timestamp) END AS date,
  t.depuis AS from_store_id,
  t.vers AS to_store_id,
  CASE t.etat WHEN 'A' THEN 2 WHEN 'O' THEN 1 WHEN 'P' THEN 9 ELSE ascii(t.etat) END AS status,
  t.qte_totale AS quantity_total,
  t.remarque AS notes,
  CASE WHEN t.cree_le > '0001' THEN CAST(t.cree_le AS timestamp) END AS created_at,
  CASE WHEN t.modifie_le > '0001' THEN CAST(t.modifie_le AS timestamp) END AS updated_at
FROM caisse.transfert t;

CREATE VIEW transfer_lines AS
SELECT
  t.no AS id,
  t.transfert AS transfer_id,
  t.article AS product_id,
  t.nom AS name,
  t.descriptif AS description,
  t.qte AS quantity,
  t.unite AS unit,
  t.qte_base AS base_quantity,
  t.pamp_ct * 0.01 AS average_cost
FROM caisse.transfert_ligne t;

CREATE VIEW adjustments AS
SELECT
  i.no AS id,
  CASE i.nature WHEN 'Q' THEN 1 WHEN 'C' THEN 2 ELSE ascii(i.nature) END AS kind,
  i.numero AS number,
  i.magasin AS store_id,
  CASE WHEN i.date_piece > '0001' THEN CAST(i.date_piece AS timestamp) END AS date,
  CASE i.etat WHEN 'A' THEN 2 WHEN 'P' THEN 9 ELSE ascii(i.etat) END AS status,
  i.motif AS reason,
  i.devise AS currency,
  i.taux AS exchange_rate,
  i.total_ct * 0.01 AS total,
  CASE WHEN i.cree_le > '0001' THEN CAST(i.cree_le AS timestamp) END AS created_at,
  CASE WHEN i.modifie_le > '0001' THEN CAST(i.modifie_le AS timestamp) END AS updated_at
FROM caisse.inventaire i;

CREATE VIEW adjustment_lines AS
SELECT
  i.no AS id,
  i.inventaire AS adjustment_id,
  i.article AS product_id,
  i.nom AS name,
  i.descriptif AS description,
  i.unite AS unit,
  i.qte_avant AS previous_quantity,
  i.qte_apres AS new_quantity,
  i.qte_ecart AS quantity_difference,
  i.qte_stock AS on_hand_quantity,
  i.pamp_ct * 0.01 AS average_cost,
  i.achat_avant_ct * 0.01 AS previous_cost,
  i.achat_apres_ct * 0.01 AS new_cost,
  i.achat_ecart_ct * 0.01 AS cost_difference
FROM caisse.inventaire_ligne i;

-- The service may read only the views; the views read the tables with the rights of their owner.
GRANT USAGE ON SCHEMA vitrine_views TO vitrine_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA vitrine_views TO vitrine_reader;
COMMIT;
