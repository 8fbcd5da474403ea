-- "Caisse", an invented point-of-sale system whose tables are not those of the source contract: other names, letters for codes,
-- amounts in cents, one column for each price list, deleted rows that are only marked, no archive, and times as text in which
-- '0000-00-00 00:00:00' stands for none, as a MySQL database shows them to PostgreSQL. The same statements make it in SQLite,
-- without "caisse.".

-- siege: 'O' is the head office, 'N' any other store.
CREATE TABLE caisse.magasin (
  no integer PRIMARY KEY, code text, nom text, adresse text, responsable text, tel text, tel2 text,
  courriel text, siege char(1)
);

-- Departments, and below them the families that articles belong to.
CREATE TABLE caisse.rayon (
  no integer PRIMARY KEY, code text, nom text, responsable text
);

CREATE TABLE caisse.famille (
  no integer PRIMARY KEY, code text, nom text, responsable text
);

CREATE TABLE caisse.tarif (
  no integer PRIMARY KEY, code text, nom text
);

CREATE TABLE caisse.type_client (
  no integer PRIMARY KEY, code text, nom text
);

-- contact: 'Last name, First name'. supprime: 1 is deleted, 0 is not; rows are never removed.
CREATE TABLE caisse.fournisseur (
  no bigint PRIMARY KEY, code text, nom text, contact text, contact2 text, tel text, tel2 text, courriel text,
  site text, adresse text, ville text, cp text, pays text, devise text, supprime smallint, cree_le text,
  modifie_le text
);

CREATE TABLE caisse.client (
  no bigint PRIMARY KEY, code text, nom text, prenom text, nom_famille text, societe text, surnom text,
  tel text, tel2 text, courriel text, adresse text, ville text, cp text, devise text, delai text,
  supprime smallint, type_client bigint, tarif bigint, niveau_remise numeric, type_remise text,
  plafond_ct numeric, solde_ct numeric, cree_le text, modifie_le text
);

-- nature: 'S' stocked, 'P' service, 'C' composed of others, 'D' special.
CREATE TABLE caisse.article (
  no bigint PRIMARY KEY, code text, gencod text, nom text, descriptif text, nature char(1), supprime smallint,
  taille text, couleur text, rayon bigint, famille bigint, unite text, unite2 text, fournisseur bigint,
  seuil numeric, devise text, achat_ct numeric, pamp_ct numeric, commande_ct numeric, vente_ct numeric,
  vente2_ct numeric, cree_le text, modifie_le text
);

-- One column for each price list (tarif 1 to 9), and one for each price of the second unit.
CREATE TABLE caisse.article_prix (
  article bigint PRIMARY KEY, vente_1_ct numeric, vente_2_ct numeric, vente_3_ct numeric, vente_4_ct numeric,
  vente_5_ct numeric, vente_6_ct numeric, vente_7_ct numeric, vente_8_ct numeric, vente_9_ct numeric,
  vente2_1_ct numeric, vente2_2_ct numeric, vente2_3_ct numeric, vente2_4_ct numeric, vente2_5_ct numeric,
  vente2_6_ct numeric, vente2_7_ct numeric, vente2_8_ct numeric, vente2_9_ct numeric
);

CREATE TABLE caisse.stock (
  article bigint, magasin bigint, qte numeric, reserve numeric, attendu numeric,
  PRIMARY KEY (article, magasin)
);

-- Sales. nature: 'F' is an invoice, 'A' a credit memo. soldee: 'O' paid, 'N' not. Nothing is ever archived.
-- etat, here and below: 'B' draft, 'O' open, 'A' on hold, 'V' done, 'X' cancelled, 'C' turned into another document,
-- 'F' closed, 'T' complete, 'P' in the books.
CREATE TABLE caisse.vente (
  no bigint PRIMARY KEY, nature char(1), numero text, magasin bigint, date_piece text, client bigint,
  nom_client text, etat char(1), mode_reglement text, devise text, taux numeric, qte_totale numeric,
  articles_ct numeric, taxe_ct numeric, remise_pc numeric, remise_ct numeric, port_ct numeric,
  total_ct numeric, remarque text, cree_le text, modifie_le text, soldee char(1), paye_ct numeric,
  acompte_ct numeric, cout_ct numeric, ref_client text, no_devis text, no_commande text
);

-- nature of a line: 'S' stocked, 'P' service, 'D' special.
CREATE TABLE caisse.vente_ligne (
  no bigint, vente bigint, article bigint, nom text, descriptif text, nature char(1), qte numeric, unite text,
  prix_ct numeric, qte_base numeric, prix_base_ct numeric, achat_ct numeric, PRIMARY KEY (vente, no)
);

CREATE TABLE caisse.vente_reglement (
  no bigint, vente bigint, date_piece text, especes_ct numeric, carte_ct numeric, cheque_ct numeric,
  no_cheque text, compte_ct numeric, acompte_ct numeric, devise text, taux numeric, PRIMARY KEY (vente, no)
);

CREATE TABLE caisse.devis (
  no bigint PRIMARY KEY, numero text, magasin bigint, date_piece text, client bigint, nom_client text,
  etat char(1), mode_reglement text, devise text, taux numeric, qte_totale numeric, articles_ct numeric,
  taxe_ct numeric, remise_pc numeric, remise_ct numeric, port_ct numeric, total_ct numeric, remarque text,
  cree_le text, modifie_le text, livrer_nom text, livrer_adresse text, livrer_tel text
);

CREATE TABLE caisse.devis_ligne (
  no bigint, devis bigint, article bigint, nom text, descriptif text, nature char(1), qte numeric, unite text,
  prix_ct numeric, qte_base numeric, prix_base_ct numeric, achat_ct numeric, PRIMARY KEY (devis, no)
);

CREATE TABLE caisse.commande (
  no bigint PRIMARY KEY, numero text, magasin bigint, date_piece text, client bigint, nom_client text,
  etat char(1), mode_reglement text, devise text, taux numeric, qte_totale numeric, articles_ct numeric,
  taxe_ct numeric, remise_pc numeric, remise_ct numeric, port_ct numeric, total_ct numeric, remarque text,
  cree_le text, modifie_le text, paye_ct numeric, cout_ct numeric, no_devis text, livrer_nom text,
  livrer_adresse text, livrer_tel text
);

CREATE TABLE caisse.commande_ligne (
  no bigint, commande bigint, article bigint, nom text, descriptif text, nature char(1), qte numeric,
  qte_livree numeric, unite text, prix_ct numeric, qte_base numeric, prix_base_ct numeric, achat_ct numeric,
  PRIMARY KEY (commande, no)
);

CREATE TABLE caisse.commande_acompte (
  no bigint, commande bigint, date_piece text, especes_ct numeric, carte_ct numeric, cheque_ct numeric,
  no_cheque text, devise text, taux numeric, remarque text, PRIMARY KEY (commande, no)
);

-- What customers paid to their account, and which sales it was for.
CREATE TABLE caisse.encaissement (
  no bigint PRIMARY KEY, numero text, magasin bigint, date_piece text, client bigint, nom_client text,
  etat char(1), mode_reglement text, devise text, taux numeric, recu_ct numeric, especes_ct numeric,
  carte_ct numeric, cheque_ct numeric, no_cheque text, remarque text, cree_le text, modifie_le text
);

CREATE TABLE caisse.encaissement_vente (
  no bigint, encaissement bigint, vente bigint, no_vente text, montant_ct numeric, date_piece text,
  PRIMARY KEY (encaissement, no)
);

-- Orders to vendors, which are not in cents, and what came of them (reception: 'R' received, 'T' returned).
CREATE TABLE caisse.achat (
  no bigint PRIMARY KEY, numero text, magasin bigint, date_piece text, fournisseur bigint,
  nom_fournisseur text, etat char(1), devise text, taux numeric, qte_totale numeric, articles numeric,
  taxe numeric, total numeric, remarque text, cree_le text, modifie_le text
);

CREATE TABLE caisse.achat_ligne (
  no bigint, achat bigint, article bigint, nom text, descriptif text, qte numeric, unite text, prix numeric,
  qte_base numeric, PRIMARY KEY (achat, no)
);

CREATE TABLE caisse.reception (
  no bigint PRIMARY KEY, nature char(1), numero text, magasin bigint, date_piece text, no_bl text,
  date_bl text, achat bigint, fournisseur bigint, nom_fournisseur text, etat char(1), devise text,
  taux numeric, qte_totale numeric, articles_ct numeric, remise_pc numeric, remise_ct numeric,
  taxe_ct numeric, fret_ct numeric, frais_ct numeric, total_ct numeric, remarque text, cree_le text,
  modifie_le text
);

CREATE TABLE caisse.reception_ligne (
  no bigint, reception bigint, article bigint, nom text, descriptif text, gencod text, qte numeric,
  unite text, prix_ct numeric, vente_nouveau_ct numeric, qte_base numeric, pamp_ct numeric,
  achat_avant_ct numeric, pamp_avant_ct numeric, PRIMARY KEY (reception, no)
);

CREATE TABLE caisse.transfert (
  no bigint PRIMARY KEY, numero text, date_piece text, depuis bigint, vers bigint, etat char(1),
  qte_totale numeric, remarque text, cree_le text, modifie_le text
);

CREATE TABLE caisse.transfert_ligne (
  no bigint, transfert bigint, article bigint, nom text, descriptif text, qte numeric, unite text,
  qte_base numeric, pamp_ct numeric, PRIMARY KEY (transfert, no)
);

-- Corrections of stock: nature 'Q' of quantities, 'C' of costs.
CREATE TABLE caisse.inventaire (
  no bigint PRIMARY KEY, nature char(1), numero text, magasin bigint, date_piece text, etat char(1),
  motif text, devise text, taux numeric, total_ct numeric, cree_le text, modifie_le text
);

CREATE TABLE caisse.inventaire_ligne (
  no bigint, inventaire bigint, article bigint, nom text, descriptif text, unite text, qte_avant numeric,
  qte_apres numeric, qte_ecart numeric, qte_stock numeric, pamp_ct numeric, achat_avant_ct numeric,
  achat_apres_ct numeric, achat_ecart_ct numeric, PRIMARY KEY (inventaire, no)
);
