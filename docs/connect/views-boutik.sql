-- The POS of boutik.sql, for "vitrine copy": the SELECTs are run, and nothing is created. Relations that it does not have have no view.

-- The shop is the part of a till's name before the slash. Nothing but the tills, the stock and the deliveries names it.
CREATE VIEW stores AS
SELECT
  s.shop AS id,
  s.shop AS code,
  CASE s.shop WHEN 'PV' THEN 'Pétion-Ville' WHEN 'JAC' THEN 'Jacmel' ELSE s.shop END AS name
FROM (
  SELECT SUBSTRING_INDEX(till, '/', 1) AS shop FROM sale UNION SELECT shop FROM stock UNION SELECT shop FROM delivery_line
) s;

-- Three levels: the first is the department. The second and the third are sub-departments, the third with the name of its parent.
CREATE VIEW departments AS
SELECT slug AS id, slug AS code, title AS name FROM category WHERE parent IS NULL;

CREATE VIEW sub_departments AS
SELECT
  c.slug AS id,
  c.slug AS code,
  IF(p.parent IS NULL, c.title, CONCAT(p.title, ' / ', c.title)) AS name
FROM category c
  JOIN category p ON p.slug = c.parent;

CREATE VIEW vendors AS
SELECT DISTINCT supplier AS id, supplier AS name, 1 AS active FROM delivery;

-- What is marked as removed is no longer active: old sales name it.
CREATE VIEW customers AS
SELECT
  card AS id,
  card AS code,
  name,
  phone,
  removed_at = 0 AS active,
  owes AS balance,
  joined AS created_at
FROM client;

CREATE VIEW products AS
SELECT
  i.sku AS id,
  i.sku AS code,
  i.title AS name,
  CASE WHEN i.is_service THEN 2 WHEN i.is_gift_card THEN 4 ELSE 1 END AS kind,
  i.retired_at = 0 AS active,
  COALESCE(p.parent, c.parent, c.slug) AS department_id,
  IF(c.parent IS NULL, NULL, c.slug) AS sub_department_id,
  'HTG' AS currency,
  i.cost,
  i.price,
  i.made_at AS created_at
FROM item i
  LEFT JOIN category c ON c.slug = i.category
  LEFT JOIN category p ON p.slug = c.parent;

CREATE VIEW product_stock AS
SELECT sku AS product_id, shop AS store_id, qty AS quantity FROM stock;

-- Each part of the total is computed once for all sales, rounded as receipts round it: lines one by one, taxes together. A refund is a
-- credit memo, with positive amounts. The discounts of lines and the coupon are the discount of the document; names of taxes are notes.
-- A voucher or a gift card was paid before: it is a deposit.
CREATE VIEW invoices AS
SELECT
  s.uuid AS id,
  IF(s.refund, 2, 1) AS kind,
  CONCAT(s.till, '-', LPAD(s.receipt, 6, '0')) AS number,
  SUBSTRING_INDEX(s.till, '/', 1) AS store_id,
  s.sold_at AS date,
  s.card AS customer_id,
  c.name AS customer_name,
  CASE s.state WHEN 0 THEN 2 WHEN 1 THEN 3 WHEN 9 THEN 4 ELSE 100 + s.state END AS status,
  p.methods AS payment_type,
  s.currency,
  s.rate AS exchange_rate,
  l.quantity AS quantity_total,
  l.items AS items_total,
  COALESCE(t.tax, 0) AS tax,
  l.discount + s.coupon AS discount_amount,
  l.items - l.discount - s.coupon + COALESCE(t.tax, 0) AS total,
  t.names AS notes,
  COALESCE(p.paid, 0) >= l.items - l.discount - s.coupon + COALESCE(t.tax, 0) AS paid,
  COALESCE(p.paid, 0) AS amount_paid,
  COALESCE(p.deposit, 0) AS deposit,
  l.cost AS cost_total
FROM sale s
  LEFT JOIN client c ON c.card = s.card
  LEFT JOIN (
    SELECT
      sale,
      ABS(SUM(qty)) AS quantity,
      ABS(SUM(ROUND(CAST(qty * price AS decimal(20, 6)), 2))) AS items,
      ABS(SUM(ROUND(CAST(qty * price * discount / 100 AS decimal(20, 6)), 2))) AS discount,
      ABS(SUM(ROUND(CAST(qty * cost AS decimal(20, 6)), 2))) AS cost
    FROM sale_line
    WHERE removed_at = 0
    GROUP BY sale
  ) l ON l.sale = s.uuid
  LEFT JOIN (
    SELECT
      sale,
      ABS(ROUND(CAST(SUM(amount) AS decimal(20, 6)), 2)) AS tax,
      GROUP_CONCAT(name, ': ', ABS(CAST(amount AS decimal(20, 2))) ORDER BY name SEPARATOR ', ') AS names
    FROM sale_tax
    GROUP BY sale
  ) t ON t.sale = s.uuid
  LEFT JOIN (
    SELECT
      sale,
      GROUP_CONCAT(DISTINCT method ORDER BY method SEPARATOR ', ') AS methods,
      ABS(CAST(SUM(IF(method = 'account', 0, amount)) AS decimal(20, 2))) AS paid,
      ABS(CAST(SUM(IF(method IN ('voucher', 'gift'), amount, 0)) AS decimal(20, 2))) AS deposit
    FROM sale_payment
    GROUP BY sale
  ) p ON p.sale = s.uuid
WHERE s.removed_at = 0;

-- A line has no column for its discount: it is written into the description. What was removed before the sale was done is left out, as
-- are the lines of sales that were removed.
CREATE VIEW invoice_lines AS
SELECT
  CONCAT(l.sale, '-', l.place) AS id,
  l.sale AS invoice_id,
  l.sku AS product_id,
  i.title AS name,
  IF(l.discount > 0, CONCAT('-', l.discount, ' %'), NULL) AS description,
  CASE WHEN i.is_service THEN 2 WHEN i.is_gift_card THEN 3 ELSE 1 END AS kind,
  ABS(l.qty) AS quantity,
  l.price AS unit_price,
  ABS(l.qty) AS base_quantity,
  l.price AS base_unit_price,
  l.cost
FROM sale_line l
  JOIN sale s ON s.uuid = l.sale AND s.removed_at = 0
  LEFT JOIN item i ON i.sku = l.sku
WHERE l.removed_at = 0;

CREATE VIEW invoice_payments AS
SELECT
  CONCAT(p.sale, '-', p.place) AS id,
  p.sale AS invoice_id,
  s.sold_at AS date,
  IF(p.method = 'cash', p.amount, 0) * IF(s.refund, -1, 1) AS cash,
  IF(p.method = 'card', p.amount, 0) * IF(s.refund, -1, 1) AS card,
  IF(p.method = 'cheque', p.amount, 0) * IF(s.refund, -1, 1) AS cheque,
  IF(p.method = 'cheque', p.reference, NULL) AS cheque_number,
  IF(p.method = 'account', p.amount, 0) * IF(s.refund, -1, 1) AS account,
  IF(p.method IN ('voucher', 'gift'), p.amount, 0) * IF(s.refund, -1, 1) AS deposit,
  s.currency,
  s.rate AS exchange_rate
FROM sale_payment p
  JOIN sale s ON s.uuid = p.sale AND s.removed_at = 0;

-- A store on each line: one receiving for each store. Its number is that of the delivery; the freight is on the first one.
CREATE VIEW receivings AS
SELECT
  CONCAT(d.no, '@', l.shop) AS id,
  1 AS kind,
  CAST(d.no AS char) AS number,
  l.shop AS store_id,
  d.arrived AS date,
  d.slip AS receipt_number,
  d.supplier AS vendor_id,
  d.supplier AS vendor_name,
  9 AS status,
  'HTG' AS currency,
  l.quantity AS quantity_total,
  l.items AS items_total,
  IF(l.shop = f.shop, d.freight, 0) AS freight,
  l.items + IF(l.shop = f.shop, d.freight, 0) AS total
FROM delivery d
  JOIN (
    SELECT delivery, shop, SUM(qty) AS quantity, SUM(ROUND(CAST(qty * cost AS decimal(20, 6)), 2)) AS items
    FROM delivery_line
    GROUP BY delivery, shop
  ) l ON l.delivery = d.no
  JOIN (SELECT delivery, MIN(shop) AS shop FROM delivery_line GROUP BY delivery) f ON f.delivery = d.no;

CREATE VIEW receiving_lines AS
SELECT
  CONCAT(l.delivery, '-', l.place) AS id,
  CONCAT(l.delivery, '@', l.shop) AS receiving_id,
  l.sku AS product_id,
  i.title AS name,
  l.qty AS quantity,
  l.cost AS unit_price,
  l.qty AS base_quantity
FROM delivery_line l
  LEFT JOIN item i ON i.sku = l.sku;
