// The sentences of the OpenAPI document in French. A test finds one that is missing: it would stay English.
import { documentFields } from './fields-fr.ts'
import { masterFields } from './master-fields-fr.ts'

const operations: Readonly<Record<string, string>> = {
  'Whether the service is there, and what arrived of the request.':
    'Si le service est là, et ce qui est arrivé de la requête.',
  'Answers every caller, even while everything else is down.': 'Répond à tous, même quand tout le reste est en panne.',
  'Send any Authorization header to test.': 'N’importe quel en-tête Authorization convient pour essayer.',
  'The service is there.': 'Le service est là.',
  'The same without a body, for uptime monitors.': 'La même chose sans corps, pour les sondes de disponibilité.',
  'The only route that answers HEAD.': 'La seule route qui répond à HEAD.',
  'The credentials are sent in the body, or as HTTP Basic; where the body holds both, it counts.':
    'Les identifiants vont dans le corps, ou par HTTP Basic ; si le corps contient les deux, c’est lui qui compte.',
  'Always this word.': 'Toujours ce mot.',
  'The access key.': 'La clé d’accès.',
  'The security code.': 'Le code de sécurité.',
  'Permissions separated by blanks, for a token that may do less.':
    'Des droits séparés par des espaces, pour un jeton qui peut moins.',
  'A new token; earlier ones stay valid until they expire.':
    'Un nouveau jeton ; les précédents restent valables jusqu’à leur fin.',
  'Signs off: the token ends at once (RFC 7009).': 'Se déconnecter : le jeton prend fin aussitôt (RFC 7009).',
  'Credentials, failures and blocks are as on /auth/token; an address may ask as often, counted apart.':
    'Identifiants, échecs et blocages comme sur /auth/token ; une adresse peut demander aussi souvent, compté à part.',
  'A token that is not valid, or not of this key, is answered with 200 as well, and nothing happens to it.':
    'Un jeton qui n’est pas valable, ou pas de cette clé, reçoit aussi 200, et il ne lui arrive rien.',
  'The access token to end.': 'Le jeton auquel mettre fin.',
  'Ignored: there is one type of token.': 'Ignoré : il n’y a qu’un type de jeton.',
  'No request with this token is served any more.': 'Plus aucune requête avec ce jeton n’est servie.',
  'Who the token belongs to, and what it may do.': 'À qui appartient le jeton, et ce qu’il peut faire.',
  'The token is valid.': 'Le jeton est valable.',
  'The resources, fields, filters and sorts that the token may use.':
    'Les ressources, champs, filtres et tris que le jeton peut utiliser.',
  'What the token may use, and nothing else.': 'Ce que le jeton peut utiliser, et rien d’autre.',
  'This document.': 'Ce document.',
  'Without a token it describes the whole API, with a token what that token may use.':
    'Sans jeton il décrit toute l’API, avec un jeton ce que ce jeton peut utiliser.',
  'An OpenAPI 3.1 document.': 'Un document OpenAPI 3.1.',
  'Where and how OAuth clients sign in (RFC 8414).': 'Où et comment les clients OAuth se connectent (RFC 8414).',
  'For discovery, with the address of the service as the issuer.':
    'Pour la découverte, avec l’adresse du service comme émetteur.',
  'It is at the root of the host, beside the API, and open to every caller.':
    'Il est à la racine de l’hôte, à côté de l’API, et répond à tous.',
  'The metadata of the authorization server.': 'Les métadonnées du serveur d’autorisation.',
  'Every record that the token may see, then every change.':
    'Tous les enregistrements que le jeton peut voir, puis tous les changements.',
  'Without a cursor it begins with all records, in order of id.':
    'Sans curseur, il commence par tous les enregistrements, par id.',
  'Then it goes on with what has changed: a record as it is now, or `gone`.':
    'Il continue par ce qui a changé : un enregistrement tel qu’il est maintenant, ou `gone`.',
  'Ask again with `meta.cursor`, at once while `meta.more` is true, later when it is not.':
    'Redemandez avec `meta.cursor`, aussitôt tant que `meta.more` est vrai, plus tard sinon.',
  'Where the database of the tills has no journal, this address is not found, and `/resources` does not name it.':
    'Là où la base des caisses n’a pas de journal, cette adresse n’existe pas, et `/resources` ne la nomme pas.',
  'Where to go on: the `meta.cursor` of an earlier answer.':
    'Où continuer : le `meta.cursor` d’une réponse précédente.',
  'Without it, from the beginning.': 'Sans lui, depuis le début.',
  'The most entries in the answer.': 'Le plus grand nombre d’entrées dans la réponse.',
  'The next records and changes.': 'Les enregistrements et changements suivants.',
  'Which page of the list, from 1.': 'Quelle page de la liste, à partir de 1.',
  'One beyond the data is empty.': 'Au-delà des données, elle est vide.',
  'Page size: how many records a page holds.': 'Taille de page : combien d’enregistrements contient une page.',
  'Ties are ordered by id.': 'Les égalités sont départagées par id.',
  'One page of records.': 'Une page d’enregistrements.',
  'The `id` of a record, as lists show it.': 'L’`id` d’un enregistrement, tel que les listes le montrent.',
  'The record.': 'L’enregistrement.',

  'Stocked products, services, assembled and special items, with prices and stock.':
    'Produits en stock, services, articles assemblés et spéciaux, avec prix et stock.',
  'Customers, with their contact data, type and price list.':
    'Les clients, avec leurs coordonnées, leur type et leur liste de prix.',
  'The companies that goods are bought from.': 'Les entreprises chez qui les marchandises sont achetées.',
  'Prices offered to customers, recent and archived.': 'Les prix proposés aux clients, récents et archivés.',
  'Orders of customers, with what was delivered and the deposits paid on them.':
    'Les commandes des clients, avec ce qui a été livré et les acomptes versés.',
  'Sales, recent and archived, with how they were paid at the counter.':
    'Les ventes, récentes et archivées, et comment elles ont été payées au comptoir.',
  'Goods taken back from customers, with how they were refunded.':
    'Les marchandises reprises aux clients, et comment elles ont été remboursées.',
  'Payments received from customers against their account.': 'Les paiements reçus des clients sur leur compte.',
  'Goods ordered from vendors.': 'Les marchandises commandées aux fournisseurs.',
  'Goods received from vendors and goods returned to them.':
    'Les marchandises reçues des fournisseurs, et celles qui leur sont retournées.',
  'Stock moved between two stores.': 'Le stock déplacé entre deux magasins.',
  'Corrections of quantities and of costs.': 'Les corrections de quantités et de coûts.',
  'The stores of the company.': 'Les magasins de l’entreprise.',
  'The parts of departments that products are sorted into.':
    'Les parties des départements où les produits sont classés.',
  'The departments that products are sorted into.': 'Les départements où les produits sont classés.',
  'The price lists of the company.': 'Les listes de prix de l’entreprise.',
  'The kinds of customers.': 'Les sortes de clients.',

  'Products that are still sold, that are not, or both.':
    'Les produits encore vendus, ceux qui ne le sont plus, ou les deux.',
  '`all` leaves nothing out.': '`all` n’omet rien.',
  'Products of some kinds only.': 'Seulement les produits de certaines sortes.',
  'Several are separated by commas.': 'Plusieurs sont séparées par des virgules.',
  'Products of one department: an `id` of departments.': 'Les produits d’un département : un `id` de departments.',
  'Products of one sub-department: an `id` of sub-departments.':
    'Les produits d’un sous-département : un `id` de sub-departments.',
  'Products usually bought from one vendor, an `id` of vendors; 0 finds those without one.':
    'Les produits achetés d’habitude chez un fournisseur, un `id` de vendors ; 0 trouve ceux qui n’en ont pas.',
  "Records changed at this time or later: a day, or a time without a zone in the local time of the company's server.":
    'Les enregistrements changés à cette heure ou plus tard : un jour, ou une heure sans fuseau, à l’heure locale du serveur de l’entreprise.',
  'Customers that the company still sells to, or those that it does not; both if left out.':
    'Les clients à qui l’entreprise vend encore, ou les autres ; les deux si omis.',
  'Customers of one kind: an `id` of customer-types.': 'Les clients d’une sorte : un `id` de customer-types.',
  'Customers who pay the prices of one list: an `id` of price-lists.':
    'Les clients qui paient les prix d’une liste : un `id` de price-lists.',
  'Vendors that the company still buys from, or those that it does not; both if left out.':
    'Les fournisseurs chez qui l’entreprise achète encore, ou les autres ; les deux si omis.',
  'Documents in one state only.': 'Seulement les documents dans un état.',
  'Without it, `hold` is left out.': 'Sans lui, `hold` est omis.',
  'Documents of one customer: an `id` of customers.': 'Les documents d’un client : un `id` de customers.',
  'Documents of one vendor: an `id` of vendors.': 'Les documents d’un fournisseur : un `id` de vendors.',
  'Documents of one store: an `id` of stores.': 'Les documents d’un magasin : un `id` de stores.',
  'Documents whose amounts are in this currency.': 'Les documents dont les montants sont dans cette devise.',
  'Documents dated on this day or later.': 'Les documents datés de ce jour ou plus tard.',
  'Documents dated on this day, the whole of it, or earlier.':
    'Les documents datés de ce jour, compris en entier, ou plus tôt.',
  'Documents that are settled (`paid`), or that are not (`unpaid`).':
    'Les documents réglés (`paid`), ou ceux qui ne le sont pas (`unpaid`).',
  'Payments that count, or those that are cancelled; both if left out.':
    'Les paiements qui comptent, ou ceux qui sont annulés ; les deux si omis.',
  'Payments of one customer: an `id` of customers.': 'Les paiements d’un client : un `id` de customers.',
  'Payments that one store took: an `id` of stores.': 'Les paiements encaissés par un magasin : un `id` de stores.',
  'Goods received (`receipt`), goods returned (`return`), or both.':
    'Les marchandises reçues (`receipt`), retournées (`return`), ou les deux.',
  'Goods received on one order: an `id` of purchase-orders.':
    'Les marchandises reçues sur un bon de commande : un `id` de purchase-orders.',
  'Goods that left one store: an `id` of stores.': 'Les marchandises parties d’un magasin : un `id` de stores.',
  'Goods that went to one store: an `id` of stores.': 'Les marchandises allées à un magasin : un `id` de stores.',
  'Corrections of quantities, of costs, or both.': 'Les corrections de quantités, de coûts, ou les deux.',

  'Adds fields to resources that are not open.': 'Ajoute des champs à des ressources qui ne sont pas ouvertes.',
  'The request is not valid HTTP.': 'La requête n’est pas du HTTP valable.',
  'The request body cannot be read.': 'Le corps de la requête est illisible.',
  'grant_type must be client_credentials.': 'grant_type doit être client_credentials.',
  'The key does not hold every requested permission.': 'La clé n’a pas tous les droits demandés.',
  'One or more parameters are not valid; see details.':
    'Un ou plusieurs paramètres ne sont pas valables ; voir details.',
  'The access key or the security code is missing or wrong.':
    'La clé d’accès ou le code de sécurité manque ou est faux.',
  'Send an access token: Authorization: Bearer <token>.': 'Envoyez un jeton : Authorization: Bearer <token>.',
  'The access token is malformed, unknown, expired or revoked.': 'Le jeton est mal formé, inconnu, expiré ou révoqué.',
  'Use HTTPS: requests over plain HTTP are refused.': 'Utilisez HTTPS : les requêtes en HTTP simple sont refusées.',
  'The access token does not hold the permission for this resource.':
    'Le jeton n’a pas le droit de lire cette ressource.',
  'There is nothing at this address.': 'Il n’y a rien à cette adresse.',
  'There is no such record.': 'Cet enregistrement n’existe pas.',
  'This method is not allowed here.': 'Cette méthode n’est pas permise ici.',
  'The request did not arrive in time.': 'La requête n’est pas arrivée à temps.',
  'The cursor is no longer valid; begin again without one.': 'Le curseur n’est plus valable ; recommencez sans lui.',
  'Too many requests; wait as long as Retry-After says.':
    'Trop de requêtes ; attendez aussi longtemps que le dit Retry-After.',
  'Blocked after repeated failures; wait as long as Retry-After says.':
    'Bloqué après des échecs répétés ; attendez aussi longtemps que le dit Retry-After.',
  'The request line and headers are larger than 16 KiB.': 'La ligne de requête et les en-têtes dépassent 16 Kio.',
  'Something failed inside the service; it has been logged.':
    'Quelque chose a échoué dans le service ; c’est dans son journal.',
  'The company has no API subscription.': 'L’entreprise n’a pas d’abonnement à l’API.',
  'This key has used up its share of the database for this minute.':
    'Cette clé a épuisé sa part de la base de données pour cette minute.',
  'The service cannot answer right now; try again shortly.':
    'Le service ne peut pas répondre pour l’instant ; réessayez bientôt.',
}

// Sentences that hold names or numbers.
const patterns: readonly (readonly [english: RegExp, french: string])[] = [
  [
    /^Fields to sort by, comma-separated, each once at most and with - in front for descending: (.+)\.$/,
    'Les champs du tri, séparés par des virgules, chacun une fois au plus, avec - devant pour l’ordre décroissant : $1.',
  ],
  [
    /^Records in which one of these holds the text, whatever its case: (.+)\.$/,
    'Les enregistrements dont un de ces champs contient le texte, majuscules ou non : $1.',
  ],
  [/^One record of ([\w-]+), with its (\w+) and (\w+)\.$/, 'Un enregistrement de $1, avec $2 et $3.'],
  [/^One record of ([\w-]+), with its (\w+)\.$/, 'Un enregistrement de $1, avec $2.'],
  [/^One record of ([\w-]+)\.$/, 'Un enregistrement de $1.'],
  [/^The access token does not hold the permission ([\w-]+:\w+)\.$/, 'Le jeton n’a pas le droit $1.'],
  [/^Opens (.+)\.$/, 'Ouvre $1.'],
  [/^Adds fields to (.+)\.$/, 'Ajoute des champs à $1.'],
  [
    /^An access token for (\d+) seconds \(OAuth 2\.0 client credentials\)\.$/,
    'Un jeton pour $1 secondes (OAuth 2.0, identifiants de client).',
  ],
  [/^An address may ask (\d+) times a minute\.$/, 'Une adresse peut demander $1 fois par minute.'],
  [
    /^After (\d+) failures with the same key, or (\d+) from one address, the caller is blocked for (\d+) minutes\.$/,
    'Après $1 échecs avec la même clé, ou $2 depuis une adresse, l’appelant est bloqué pendant $3 minutes.',
  ],
]

const sentences: Readonly<Record<string, string>> = { ...operations, ...masterFields, ...documentFields }

function sayOne(sentence: string): string {
  const [english, french] = patterns.find(([pattern]) => pattern.test(sentence)) ?? []
  return sentences[sentence] ?? (english && french ? sentence.replace(english, french) : sentence)
}

export const sayInFrench = (text: string): string =>
  text
    .split(/(?<=\.) (?=[A-Z`])/)
    .map(sayOne)
    .join(' ')
