// The meanings of the fields of products, customers, vendors and reference data in French.
export const masterFields: Readonly<Record<string, string>> = {
  'Identifies the record within its resource, and never changes.':
    'Identifie l’enregistrement dans sa ressource, et ne change jamais.',
  'Short code by which people in the company know it.': 'Code court par lequel l’entreprise le connaît.',
  'What it is called in the company.': 'Son nom dans l’entreprise.',
  'What the store is called.': 'Le nom du magasin.',
  'Person in charge.': 'La personne responsable.',
  'True for the head office.': 'Vrai pour le siège.',
  'Article code that people in the company know the product by.':
    'Code article par lequel l’entreprise connaît le produit.',
  'What a scanner reads from the package.': 'Ce qu’un lecteur lit sur l’emballage.',
  'What the product is called on documents and labels.': 'Le nom du produit sur les documents et les étiquettes.',
  'More about the product, as free text.': 'D’autres précisions sur le produit, en texte libre.',
  '`inventory` is stocked, `service` is not, `assembly` is built from other products, `special` is neither.':
    '`inventory` est en stock, `service` ne l’est pas, `assembly` est composé d’autres produits, `special` n’est ni l’un ni l’autre.',
  '`active` if it is still sold; lists leave `inactive` out unless you ask.':
    '`active` s’il est encore vendu ; les listes omettent `inactive` sauf demande.',
  'How large it is, as free text.': 'Sa taille, en texte libre.',
  'Another property such as brand or colour, as free text.':
    'Une autre propriété, comme la marque ou la couleur, en texte libre.',
  'Department that it is sorted into: an `id` of departments.':
    'Département où il est classé : un `id` de departments.',
  'Sub-department that it is sorted into: an `id` of sub-departments.':
    'Sous-département où il est classé : un `id` de sub-departments.',
  'Name of the department.': 'Nom du département.',
  'Name of the sub-department.': 'Nom du sous-département.',
  'Main unit of sale, for example a piece or a bag.': 'Unité de vente principale, par exemple une pièce ou un sac.',
  'Second unit of sale, for example a case.': 'Seconde unité de vente, par exemple une caisse.',
  'Vendor that it is usually bought from, an `id` of vendors; 0 when there is none.':
    'Fournisseur habituel, un `id` de vendors ; 0 s’il n’y en a pas.',
  'Stock at which more should be ordered.': 'Stock à partir duquel il faut en recommander.',
  "Code of the currency that the product's prices and costs are in.":
    'Code de la devise des prix et des coûts du produit.',
  'What it cost at the last purchase.': 'Ce qu’il a coûté au dernier achat.',
  'Weighted average of what it has cost.': 'Moyenne pondérée de ce qu’il a coûté.',
  'Cost that purchase orders are written with.': 'Coût avec lequel les bons de commande sont écrits.',
  'When the record was first stored.': 'Quand l’enregistrement a été créé.',
  'When the record was last changed: what `updated_since` compares with.':
    'Quand l’enregistrement a changé en dernier : ce que compare `updated_since`.',
  'Stock, summed over the stores that the key may see.': 'Stock, additionné sur les magasins que la clé peut voir.',
  'Reserved for open orders of customers, in the stores that the key may see.':
    'Réservé pour des commandes clients ouvertes, dans les magasins que la clé peut voir.',
  'Expected from vendors on open orders, in the stores that the key may see.':
    'Attendu des fournisseurs sur des commandes ouvertes, dans les magasins que la clé peut voir.',
  'Selling price of one `unit` for the key: the base price, or that of its price list.':
    'Prix de vente d’une `unit` pour la clé : le prix de base, ou celui de sa liste de prix.',
  'The same for one `second_unit`.': 'De même pour une `second_unit`.',
  'What the product costs in every price list.': 'Ce que coûte le produit dans chaque liste de prix.',
  'Absent for a key that is restricted to one price list.': 'Absent pour une clé limitée à une liste de prix.',
  'List that the prices beside it are from: an `id` of price-lists.':
    'Liste d’où viennent les prix à côté : un `id` de price-lists.',
  'Selling price of one `unit` in this list; zero means the base price.':
    'Prix de vente d’une `unit` dans cette liste ; zéro veut dire le prix de base.',
  'Selling price of one `second_unit` in this list; zero means the base price.':
    'Prix de vente d’une `second_unit` dans cette liste ; zéro veut dire le prix de base.',
  'Quantities in each store that the key may see.': 'Quantités dans chaque magasin que la clé peut voir.',
  'Store that holds this stock: an `id` of stores.': 'Magasin qui détient ce stock : un `id` de stores.',
  'How much of the product is there.': 'Combien il y a de ce produit.',
  'How much of it is reserved for open orders of customers.':
    'Combien en est réservé pour des commandes clients ouvertes.',
  'How much more is expected from vendors on open orders.':
    'Combien en est encore attendu des fournisseurs sur des commandes ouvertes.',
  'Customer number that people in the company use.': 'Numéro de client utilisé dans l’entreprise.',
  'Full name, as displayed.': 'Nom complet, tel qu’affiché.',
  'Given name of the person.': 'Prénom de la personne.',
  'Family name of the person.': 'Nom de famille de la personne.',
  'Name of the business, if the customer is one.': 'Nom de l’entreprise, si le client en est une.',
  'Another name that the customer is known by.': 'Un autre nom sous lequel le client est connu.',
  'Telephone number to try first.': 'Numéro de téléphone à essayer en premier.',
  'Another telephone number.': 'Un autre numéro de téléphone.',
  'Where to send messages.': 'Où envoyer des messages.',
  'Where to send messages; may hold several addresses.': 'Où envoyer des messages ; peut contenir plusieurs adresses.',
  'Street and house number, as written on letters.': 'Rue et numéro, comme sur une lettre.',
  'Town of the address.': 'Ville de l’adresse.',
  'Postal code of the address.': 'Code postal de l’adresse.',
  'Code of the currency that the customer prefers.': 'Code de la devise que le client préfère.',
  'How long the customer may take to pay, as free text.': 'Combien de temps le client a pour payer, en texte libre.',
  '`active` if the company still sells to the customer.': '`active` si l’entreprise vend encore au client.',
  'Kind of customer: an `id` of customer-types.': 'Sorte de client : un `id` de customer-types.',
  'Name of the kind of customer.': 'Nom de la sorte de client.',
  'List that sets what the customer pays: an `id` of price-lists.':
    'Liste qui fixe ce que paie le client : un `id` de price-lists.',
  'How large a discount the customer gets, as the POS has it.':
    'Niveau de remise du client, tel que le point de vente le tient.',
  'How the discount is calculated, as the POS has it.':
    'Comment la remise est calculée, tel que le point de vente le tient.',
  'How much the customer may owe.': 'Combien le client peut devoir.',
  "Current balance of the customer's account, over all stores.":
    'Solde actuel du compte du client, sur tous les magasins.',
  'Vendor number that people in the company use.': 'Numéro de fournisseur utilisé dans l’entreprise.',
  'Name of the company that sells.': 'Nom de l’entreprise qui vend.',
  'Given name of the person to talk to.': 'Prénom de la personne à contacter.',
  'Family name of the person to talk to.': 'Nom de famille de la personne à contacter.',
  'Another person to talk to, as free text.': 'Une autre personne à contacter, en texte libre.',
  'Address on the web.': 'Adresse sur le web.',
  'Where the vendor is, as written on letters.': 'Où est le fournisseur, comme sur une lettre.',
  'Code of the currency that the vendor is paid in.': 'Code de la devise dans laquelle le fournisseur est payé.',
  '`active` if the company still buys from the vendor.': '`active` si l’entreprise achète encore au fournisseur.',
}
