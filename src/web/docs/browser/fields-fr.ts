// The meanings of the fields of documents in French.
export const documentFields: Readonly<Record<string, string>> = {
  'Number that people know the document by; requests use the `id`.':
    'Numéro par lequel on connaît le document ; les requêtes utilisent l’`id`.',
  'Store that the document belongs to: an `id` of stores.': 'Magasin du document : un `id` de stores.',
  'When the document was dated, in the local time of the company.':
    'Date et heure du document, à l’heure locale de l’entreprise.',
  'Customer of the document: an `id` of customers.': 'Client du document : un `id` de customers.',
  'Name of the customer when the document was written.': 'Nom du client quand le document a été écrit.',
  '`hold` is a draft, `converted` became an order or an invoice, `void` is cancelled.':
    '`hold` est un brouillon, `converted` est devenu une commande ou une facture, `void` est annulé.',
  'How the customer pays, as recorded at the time, for example cash or account.':
    'Comment le client paie, tel que noté à ce moment, par exemple comptant ou sur compte.',
  'Code of the currency that the amounts of the document are in.': 'Code de la devise des montants du document.',
  "Rate between the company's currencies, as recorded with the document.":
    'Taux entre les devises de l’entreprise, tel que noté avec le document.',
  'Sum of the quantities of all lines.': 'Somme des quantités de toutes les lignes.',
  'Sum of the item amounts, before discount, tax and shipping.':
    'Somme des montants des articles, avant remise, taxe et livraison.',
  'Zero when the status is `void`.': 'Zéro quand le statut est `void`.',
  'Sum of the taxes on the document.': 'Somme des taxes du document.',
  'Discount on the whole document, in percent.': 'Remise sur tout le document, en pour cent.',
  'Discount on the whole document, as an amount.': 'Remise sur tout le document, en montant.',
  'What the customer is charged for delivery.': 'Ce que la livraison coûte au client.',
  'What the document comes to in the end: the amount to rely on.':
    'Ce à quoi le document se monte à la fin : le montant qui compte.',
  'Free remarks of the staff.': 'Remarques libres du personnel.',
  'Person or company that the goods are delivered to.': 'Personne ou entreprise à qui les marchandises sont livrées.',
  'Where the goods are delivered.': 'Où les marchandises sont livrées.',
  'Telephone number for the delivery.': 'Numéro de téléphone pour la livraison.',
  'What the document consists of, one entry for each item.': 'Ce dont le document se compose, une entrée par article.',
  'Identifies the line within its document; lines are ordered by it.':
    'Identifie la ligne dans son document ; les lignes sont dans cet ordre.',
  'Product of the line, an `id` of products; 0 for a line of free text.':
    'Produit de la ligne, un `id` de products ; 0 pour une ligne de texte libre.',
  'Product of the line: an `id` of products.': 'Produit de la ligne : un `id` de products.',
  'What the item was called when the document was written.': 'Nom de l’article quand le document a été écrit.',
  'More about the item, as written on the document.': 'D’autres précisions sur l’article, comme sur le document.',
  '`Inventory` is a stocked product, `Service` is not stocked, `Special` is neither.':
    '`Inventory` est un produit en stock, `Service` n’est pas en stock, `Special` n’est ni l’un ni l’autre.',
  'How many, counted in `unit`.': 'Combien, compté en `unit`.',
  'What `quantity` counts, for example a piece or a case.':
    'Ce que compte `quantity`, par exemple une pièce ou une caisse.',
  'Selling price of one `unit`.': 'Prix de vente d’une `unit`.',
  "The same quantity, counted in the product's base unit.":
    'La même quantité, comptée dans l’unité de base du produit.',
  "Selling price of one of the product's base units.": 'Prix de vente d’une unité de base du produit.',
  'What one base unit had cost the company.': 'Ce qu’une unité de base avait coûté à l’entreprise.',
  '`hold` is a draft, `converted` became an invoice, `closed` is ended and keeps its amounts.':
    '`hold` est un brouillon, `converted` est devenu une facture, `closed` est terminé et garde ses montants.',
  'How much was ordered, summed over all lines.': 'Combien a été commandé, sur toutes les lignes.',
  'Sum of the deposits paid on the order.': 'Somme des acomptes versés sur la commande.',
  'What the goods ordered cost the company.': 'Ce que les marchandises commandées coûtent à l’entreprise.',
  'Number of the quote that it came from.': 'Numéro du devis d’origine.',
  'How many the customer already has, counted in `unit`.': 'Combien le client en a déjà, compté en `unit`.',
  'Deposits recorded on the order.': 'Les acomptes notés sur la commande.',
  'When the money was taken.': 'Quand l’argent a été encaissé.',
  'Part of the amount that was paid in notes and coins.': 'Partie du montant payée en billets et en pièces.',
  'Part of the amount that was paid by debit or credit card.':
    'Partie du montant payée par carte de débit ou de crédit.',
  'Part of the amount that was paid by cheque.': 'Partie du montant payée par chèque.',
  'Number printed on the cheque.': 'Numéro imprimé sur le chèque.',
  'Code of the currency that the money was taken in.': 'Code de la devise encaissée.',
  "Rate between the company's currencies, as recorded with the payment.":
    'Taux entre les devises de l’entreprise, tel que noté avec le paiement.',
  'Free remarks on the deposit.': 'Remarques libres sur l’acompte.',
  '`regular` is final, `hold` is a draft, `void` is cancelled.':
    '`regular` est définitif, `hold` est un brouillon, `void` est annulé.',
  '`paid` if nothing is owed any more, otherwise `unpaid`.': '`paid` si plus rien n’est dû, sinon `unpaid`.',
  'How much of the total has been paid.': 'Combien du total a été payé.',
  'Part of the payment that came from a deposit made earlier.': 'Partie du paiement venue d’un acompte antérieur.',
  'What the goods sold had cost the company.': 'Ce que les marchandises vendues avaient coûté à l’entreprise.',
  "Number of the customer's own purchase order.": 'Numéro du bon de commande du client.',
  'Number of the sales order that it came from.': 'Numéro de la commande client d’origine.',
  'How it was paid at the counter; what was received later is in the resource payments.':
    'Comment elle a été payée au comptoir ; ce qui a été reçu plus tard est dans la ressource payments.',
  "What was charged to the customer's account.": 'Ce qui a été porté au compte du client.',
  'What was taken from a deposit made earlier.': 'Ce qui a été pris sur un acompte antérieur.',
  'How much was returned, summed over all lines.': 'Combien a été rendu, sur toutes les lignes.',
  'What the customer gets back, as a positive amount.': 'Ce que le client récupère, en montant positif.',
  '`paid` if the customer has been refunded, otherwise `unpaid`.':
    '`paid` si le client a été remboursé, sinon `unpaid`.',
  'How much of the total has been refunded.': 'Combien du total a été remboursé.',
  'Part of the refund that was recorded as a deposit.': 'Partie du remboursement notée comme acompte.',
  'What the goods returned had cost the company.': 'Ce que les marchandises rendues avaient coûté à l’entreprise.',
  'How many were returned, counted in `unit`.': 'Combien ont été rendus, compté en `unit`.',
  'How it was refunded, one entry for each time.': 'Comment elle a été remboursée, une entrée par fois.',
  'When the refund was made.': 'Quand le remboursement a été fait.',
  'Part of the refund in notes and coins.': 'Partie du remboursement en billets et en pièces.',
  'Part of the refund to a debit or credit card.': 'Partie du remboursement sur une carte de débit ou de crédit.',
  'Part of the refund by cheque.': 'Partie du remboursement par chèque.',
  "What was credited to the customer's account.": 'Ce qui a été crédité au compte du client.',
  'What was recorded as a deposit.': 'Ce qui a été noté comme acompte.',
  'Number that people know the payment by; requests use the `id`.':
    'Numéro par lequel on connaît le paiement ; les requêtes utilisent l’`id`.',
  'Store that took the money: an `id` of stores.': 'Magasin qui a encaissé : un `id` de stores.',
  'Who paid: an `id` of customers.': 'Qui a payé : un `id` de customers.',
  'Name of the customer at the time of the payment.': 'Nom du client au moment du paiement.',
  '`regular` counts, `void` is cancelled.': '`regular` compte, `void` est annulé.',
  'How the customer paid, for example cash, cheque or card.':
    'Comment le client a payé, par exemple comptant, par chèque ou par carte.',
  'What the customer paid, in all.': 'Ce que le client a payé, en tout.',
  'The invoices that it paid, one entry for each.': 'Les factures qu’il a payées, une entrée pour chacune.',
  'Invoice that was paid: an `id` of invoices.': 'Facture payée : un `id` de invoices.',
  'Number that people know the invoice by.': 'Numéro par lequel on connaît la facture.',
  'How much of the payment went to this invoice.': 'Combien du paiement est allé à cette facture.',
  'When it was booked against this invoice.': 'Quand il a été imputé à cette facture.',
  'Store that the goods are ordered for: an `id` of stores.':
    'Magasin pour lequel les marchandises sont commandées : un `id` de stores.',
  'Vendor that the goods come from, or go back to: an `id` of vendors.':
    'Fournisseur d’où viennent les marchandises, ou à qui elles retournent : un `id` de vendors.',
  'Name of the vendor when the document was written.': 'Nom du fournisseur quand le document a été écrit.',
  '`hold` is a draft, `closed` is ended and keeps its amounts.':
    '`hold` est un brouillon, `closed` est terminé et garde ses montants.',
  'Sum of the item amounts, before tax.': 'Somme des montants des articles, avant taxe.',
  'Purchase price of one `unit`.': 'Prix d’achat d’une `unit`.',
  '`receipt` came from a vendor, `return` went back to one.':
    '`receipt` est venu d’un fournisseur, `return` lui est retourné.',
  'Store that the goods arrived at, or left: an `id` of stores.':
    'Magasin où les marchandises sont arrivées, ou d’où elles sont parties : un `id` de stores.',
  "Number of the vendor's delivery note or invoice.": 'Numéro du bon de livraison ou de la facture du fournisseur.',
  "Day of the vendor's delivery note or invoice.": 'Jour du bon de livraison ou de la facture du fournisseur.',
  'Order that the goods answer: an `id` of purchase-orders.':
    'Commande à laquelle répondent les marchandises : un `id` de purchase-orders.',
  '`hold` is a draft, `posted` has been booked, `void` is cancelled.':
    '`hold` est un brouillon, `posted` est comptabilisé, `void` est annulé.',
  'Sum of the item amounts, before discount, tax, freight and fees.':
    'Somme des montants des articles, avant remise, taxe, transport et frais.',
  'What the transport of the goods cost.': 'Ce qu’a coûté le transport des marchandises.',
  'Other costs of the delivery.': 'Autres frais de la livraison.',
  'Selling price that was set at the reception.': 'Prix de vente fixé à la réception.',
  'Weighted average cost after the reception.': 'Coût moyen pondéré après la réception.',
  'Purchase cost before the reception.': 'Coût d’achat avant la réception.',
  'Weighted average cost before the reception.': 'Coût moyen pondéré avant la réception.',
  'Store that the goods left: an `id` of stores.': 'Magasin d’où partent les marchandises : un `id` de stores.',
  'Name of the store that the goods left.': 'Nom du magasin d’où partent les marchandises.',
  'Store that the goods went to: an `id` of stores.': 'Magasin où vont les marchandises : un `id` de stores.',
  'Name of the store that the goods went to.': 'Nom du magasin où vont les marchandises.',
  '`hold` is a draft, `posted` has been booked.': '`hold` est un brouillon, `posted` est comptabilisé.',
  'Weighted average cost of one base unit at that time.': 'Coût moyen pondéré d’une unité de base à ce moment.',
  '`quantity` corrects how much there is, `cost` what it has cost.':
    '`quantity` corrige combien il y en a, `cost` ce que cela a coûté.',
  'Store whose stock was corrected: an `id` of stores.': 'Magasin dont le stock a été corrigé : un `id` de stores.',
  'Why it was made, as free text.': 'Pourquoi il a été fait, en texte libre.',
  'What the correction is worth.': 'Ce que vaut la correction.',
  'What the quantities of the line count.': 'Ce que comptent les quantités de la ligne.',
  'How many there were before.': 'Combien il y en avait avant.',
  'How many there are after it.': 'Combien il y en a après.',
  'By how much the stock was corrected.': 'De combien le stock a été corrigé.',
  'How many were in the store when it was made.': 'Combien étaient au magasin quand il a été fait.',
  'What one had cost before.': 'Ce qu’un seul avait coûté avant.',
  'What one costs after it.': 'Ce qu’un seul coûte après.',
  'By how much the cost was corrected.': 'De combien le coût a été corrigé.',
}
