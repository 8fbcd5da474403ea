-- "Boutik", an invented point-of-sale system in MariaDB or MySQL that has what real ones have: keys that are texts, amounts as
-- doubles, totals that are not stored, taxes and payments in several rows, tills instead of stores, rows that are only marked as
-- removed, zero dates, and no time of change. A few rows are with it. Load it into an empty database of its own.
SET NAMES utf8mb4;
-- Zero dates, as old versions of MySQL wrote them.
SET SESSION sql_mode = '';

-- Up to three levels: a category with no parent is a department.
CREATE TABLE category (
  slug varchar(30) PRIMARY KEY, title varchar(40) NOT NULL, parent varchar(30)
) DEFAULT CHARSET utf8mb4;

-- retired_at: when it was taken off the shelves; zero if it is sold.
CREATE TABLE item (
  sku varchar(20) PRIMARY KEY, title varchar(60) NOT NULL, category varchar(30), is_service tinyint(1) NOT NULL DEFAULT 0,
  is_gift_card tinyint(1) NOT NULL DEFAULT 0, price double NOT NULL, cost double, made_at datetime NOT NULL DEFAULT 0,
  retired_at datetime NOT NULL DEFAULT 0
) DEFAULT CHARSET latin1;

CREATE TABLE stock (
  sku varchar(20), shop varchar(10), qty double NOT NULL, PRIMARY KEY (sku, shop)
) DEFAULT CHARSET utf8mb4;

CREATE TABLE client (
  card varchar(20) PRIMARY KEY, name varchar(60), phone varchar(20), owes double NOT NULL DEFAULT 0, joined timestamp NULL,
  removed_at datetime NOT NULL DEFAULT 0
) DEFAULT CHARSET utf8mb4;

-- till: 'PV/2' is the second till of the shop PV. state: 0 parked, 1 done, 9 cancelled. A refund has negative quantities, taxes and
-- payments. coupon: an amount off the whole sale. removed_at: rows are never deleted, only marked.
CREATE TABLE sale (
  uuid char(36) PRIMARY KEY, till varchar(10) NOT NULL, receipt int unsigned NOT NULL, sold_at timestamp NULL, card varchar(20),
  state tinyint NOT NULL, refund tinyint(1) NOT NULL DEFAULT 0, currency char(3) NOT NULL, rate double NOT NULL,
  coupon double NOT NULL DEFAULT 0, removed_at datetime NOT NULL DEFAULT 0
) DEFAULT CHARSET utf8mb4;

-- price: before the discount of the line, which is in percent.
CREATE TABLE sale_line (
  sale char(36), place smallint unsigned, sku varchar(20), qty double NOT NULL, price double NOT NULL,
  discount tinyint unsigned NOT NULL DEFAULT 0, cost double, removed_at datetime NOT NULL DEFAULT 0, PRIMARY KEY (sale, place)
) DEFAULT CHARSET utf8mb4;

CREATE TABLE sale_tax (
  sale char(36), name varchar(20), amount double NOT NULL, PRIMARY KEY (sale, name)
) DEFAULT CHARSET utf8mb4;

-- method: cash (change is a negative row), card, cheque, account (the client pays later), voucher, gift.
CREATE TABLE sale_payment (
  sale char(36), place smallint unsigned, method varchar(10) NOT NULL, amount double NOT NULL, reference varchar(20),
  PRIMARY KEY (sale, place)
) DEFAULT CHARSET utf8mb4;

-- Deliveries of suppliers, who are only a name. Each line says which shop its goods went to.
CREATE TABLE delivery (
  no int unsigned PRIMARY KEY, supplier varchar(40) NOT NULL, slip varchar(20), arrived date NOT NULL, freight double NOT NULL DEFAULT 0
) DEFAULT CHARSET utf8mb4;

CREATE TABLE delivery_line (
  delivery int unsigned, place smallint unsigned, shop varchar(10) NOT NULL, sku varchar(20), qty double NOT NULL, cost double NOT NULL,
  PRIMARY KEY (delivery, place)
) DEFAULT CHARSET utf8mb4;

INSERT INTO category VALUES
  ('drinks', 'Boissons', NULL), ('rum', 'Rhum', 'drinks'), ('rum-aged', 'Vieux', 'rum'), ('food', 'Manje', NULL),
  ('rice', 'Diri', 'food');

INSERT INTO item VALUES
  ('RHUM-5', 'Rhum 5 étoiles', 'rum-aged', 0, 0, 1850.1, 1200.05, '2025-11-03 09:00:00', 0),
  ('DIRI-25', 'Diri 25 liv', 'rice', 0, 0, 1999.99, 1650, 0, 0),
  ('KREM', 'Crémasse', 'drinks', 0, 0, 0.1, 0.05, 0, 0),
  ('LIVREZON', 'Livrezon', NULL, 1, 0, 250, NULL, 0, 0),
  ('KADO', 'Kat kado', NULL, 0, 1, 1000, NULL, 0, 0),
  ('VIEUX', 'Ancien modèle', 'food', 0, 0, 5, 4, '2019-01-01 00:00:00', '2024-12-31 18:00:00');

INSERT INTO stock VALUES ('RHUM-5', 'PV', 12), ('RHUM-5', 'JAC', 3), ('DIRI-25', 'JAC', 40.5);

INSERT INTO client VALUES
  ('C-001', 'Marie-Thérèse Noël', '3700-0001', 1500.5, FROM_UNIXTIME(1767337445), 0),
  ('C-002', 'Jean Décor', NULL, 0, NULL, '2026-02-01 00:00:00');

INSERT INTO sale VALUES
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 'PV/1', 17, FROM_UNIXTIME(1772560800), 'C-001', 1, 0, 'HTG', 131.5, 50, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000002', 'PV/2', 17, FROM_UNIXTIME(1782969845), '', 1, 0, 'HTG', 131.5, 0, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000003', 'JAC/1', 4, FROM_UNIXTIME(1782973445), 'C-001', 1, 1, 'HTG', 131.5, 0, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000004', 'JAC/1', 5, FROM_UNIXTIME(1782977045), 'C-001', 9, 0, 'USD', 131.5, 0, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000005', 'PV/1', 18, FROM_UNIXTIME(1782980645), NULL, 0, 0, 'HTG', 131.5, 0, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000006', 'PV/1', 19, FROM_UNIXTIME(1782980700), 'C-001', 1, 0, 'HTG', 131.5, 0, '2026-07-02 09:00:00'),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000007', 'JAC/1', 6, FROM_UNIXTIME(1782984245), 'C-001', 1, 0, 'HTG', 131.5, 0, 0);

INSERT INTO sale_line VALUES
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 1, 'RHUM-5', 3, 1850.1, 10, 1200.05, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 2, 'DIRI-25', 0.333, 1999.99, 0, 1650, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 3, 'VIEUX', 1, 5, 0, 4, '2026-03-03 13:00:05'),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 4, 'LIVREZON', 1, 250, 0, NULL, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000002', 1, 'KADO', 1, 1000, 0, NULL, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000002', 2, 'KREM', 3, 0.1, 0, 0.05, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000003', 1, 'RHUM-5', -1, 1850.1, 10, 1200.05, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000004', 1, 'DIRI-25', 2, 15.21, 0, 12, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000005', 1, 'DIRI-25', 1, 1999.99, 0, 1650, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000005', 2, 'KREM', 0.5, 2.01, 0, 0.05, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000006', 1, 'DIRI-25', 1, 1999.99, 0, 1650, 0),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000007', 1, 'RHUM-5', 2, 1850.1, 15, 1200.05, 0);

INSERT INTO sale_tax VALUES
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 'TCA 10%', 586.127), ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 'Komin 1%', 58.6127),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000002', 'TCA 10%', 0.03),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000003', 'TCA 10%', -166.509), ('5f1c1a52-0d6e-4a53-9f0e-000000000003', 'Komin 1%', -16.6509),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000006', 'TCA 10%', 199.999),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000007', 'TCA 10%', 314.517);

INSERT INTO sale_payment VALUES
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 1, 'gift', 1000, 'KADO-77'), ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 2, 'voucher', 250, 'B-4'),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 3, 'cash', 6000, NULL), ('5f1c1a52-0d6e-4a53-9f0e-000000000001', 4, 'cash', -743.99, NULL),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000002', 1, 'cheque', 1000.33, '000456'),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000003', 1, 'voucher', -1848.25, 'B-5'),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000004', 1, 'card', 30.42, NULL),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000006', 1, 'cash', 2199.99, NULL),
  ('5f1c1a52-0d6e-4a53-9f0e-000000000007', 1, 'card', 1000, NULL), ('5f1c1a52-0d6e-4a53-9f0e-000000000007', 2, 'account', 2459.69, NULL);

INSERT INTO delivery VALUES (1, 'Barbancourt', 'BL-9', '2026-02-10', 150), (2, 'Agrikòl S.A.', NULL, '0000-00-00', 0);

INSERT INTO delivery_line VALUES
  (1, 1, 'PV', 'RHUM-5', 10, 1200.05), (1, 2, 'JAC', 'RHUM-5', 5, 1200.05), (1, 3, 'PV', 'KREM', 100, 0.05), (2, 1, 'JAC', 'DIRI-25', 40.5, 1650);
