// The sentences of the OpenAPI document in French. A test finds one that is missing: it would stay English.
import { errors, errorsInFrench, type ErrorCode } from '../../../errors.ts'
import { shared } from '../../../catalogue/meanings.ts'
import { resources } from '../../../catalogue/resources/index.ts'

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

  '`all` leaves nothing out.': '`all` n’omet rien.',
  'Several are separated by commas.': 'Plusieurs sont séparées par des virgules.',
  'Without it, `hold` is left out.': 'Sans lui, `hold` est omis.',

  'Adds fields to resources that are not open.': 'Ajoute des champs à des ressources qui ne sont pas ouvertes.',
  'There is no such record.': 'Cet enregistrement n’existe pas.',
  'This key has used up its share of the database for this minute.':
    'Cette clé a épuisé sa part de la base de données pour cette minute.',
  'Zero when the status is `void`.': 'Zéro quand le statut est `void`.',
  'Absent for a key that is restricted to one price list.': 'Absent pour une clé limitée à une liste de prix.',
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

const sentences = new Map(Object.entries(operations))
for (const [code, french] of Object.entries(errorsInFrench)) sentences.set(errors[code as ErrorCode].message, french)
for (const { en, fr } of [shared, ...resources])
  for (const [name, english] of Object.entries(en)) sentences.set(english, fr[name] ?? english)

function sayOne(sentence: string): string {
  const [english, french] = patterns.find(([pattern]) => pattern.test(sentence)) ?? []
  return sentences.get(sentence) ?? (english && french ? sentence.replace(english, french) : sentence)
}

export const sayInFrench = (text: string): string =>
  text
    .split(/(?<=\.) (?=[A-Z`])/)
    .map(sayOne)
    .join(' ')
