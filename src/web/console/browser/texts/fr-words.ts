// What the page says in French: names of data, and what can go wrong.
import type { WordsTexts } from './en-words.ts'
import { resourcesFr } from '../../../page/browser/resources-fr.ts'

const {
  stores,
  departments,
  'sub-departments': subDepartments,
  'price-lists': priceLists,
  'customer-types': customerTypes,
} = resourcesFr
const wait = (seconds: number) => `${seconds} ${seconds === 1 ? 'seconde' : 'secondes'}`

export const words: WordsTexts = {
  permissions: {
    'products:read': ['Produits', 'Noms, codes, prix, stock'],
    'customers:read': ['Clients', 'Noms, adresses, téléphones'],
    'vendors:read': ['Fournisseurs', 'Les entreprises chez qui vous achetez'],
    'quotes:read': ['Devis', 'Offres faites aux clients'],
    'sales-orders:read': ['Commandes clients', 'Ce que les clients ont commandé'],
    'invoices:read': ['Factures', 'Ce qui a été vendu, ligne par ligne'],
    'credit-memos:read': ['Notes de crédit', 'Remboursements et articles rendus'],
    'payments:read': ['Paiements', 'Ce que les clients ont payé'],
    'purchase-orders:read': ['Bons de commande', 'Ce que vous avez commandé'],
    'receivings:read': ['Réceptions', 'Ce qui est arrivé des fournisseurs'],
    'transfers:read': ['Transferts', 'Ce qui a été déplacé entre magasins'],
    'adjustments:read': ['Ajustements', 'Corrections du stock'],
    'reference:read': ['Listes', 'Magasins, départements, listes de prix, types de clients'],
    'costs:read': ['Coûts', 'Ce que les articles vous coûtent'],
    'customers:financial': ['Soldes', 'Ce que les clients doivent, et leurs limites de crédit'],
  },
  resources: {
    stores,
    departments,
    'sub-departments': subDepartments,
    'price-lists': priceLists,
    'customer-types': customerTypes,
  },
  faults: {
    unreachable: () => 'Le service ne répond pas. Vérifiez qu’il fonctionne, puis réessayez.',
    perhaps_done: () => 'Le service n’a pas répondu. Le changement a peut-être été fait : vérifiez avant de réessayer.',
    unknown: ({ status = 0 }) => `Le service a donné une réponse inattendue (${status}). Rechargez la page.`,
    signed_out: () => 'Votre session est terminée. Reconnectez-vous.',
    not_found: () => 'Cette page n’existe pas. Elle a peut-être été supprimée.',
    internal_error: () => 'Le service a échoué. Réessayez ; si cela persiste, consultez le journal du service.',
    password_missing: () => 'Saisissez le mot de passe.',
    password_short: ({ fewest = 0 }) => `Le mot de passe est trop court : il lui faut ${fewest} caractères ou plus.`,
    password_long: ({ most = 0 }) => `Le mot de passe est trop long : ${most} caractères au plus.`,
    passwords_differ: () => 'Les deux mots de passe sont différents.',
    password_simple: () => 'Le mot de passe est trop simple : utilisez plus de trois caractères différents.',
    who_missing: ({ most = 0 }) => `Saisissez votre nom, de 1 à ${most} caractères.`,
    wrong_password: () =>
      'Nom ou mot de passe incorrect. Après cinq erreurs, il faut attendre avant chaque nouvel essai, une minute au plus.',
    wrong_present_password: () => 'Le mot de passe actuel est incorrect. Rien n’a été changé.',
    account_name_invalid: ({ most = 0 }) =>
      `Le nom d’un compte a de 1 à ${most} caractères, dont au moins une lettre ou un chiffre.`,
    account_exists: ({ name = '' }) => `Il y a déjà un compte « ${name} ». Choisissez un autre nom.`,
    account_unknown: ({ name = '' }) => `Il n’y a pas de compte « ${name} ». Il a peut-être été supprimé.`,
    last_administrator: ({ name = '' }) =>
      `${name} est le dernier administrateur. Donnez d’abord ce rôle à un autre compte.`,
    viewer_only: () =>
      'Vous êtes lecteur : vous pouvez tout voir, mais ne rien modifier. Adressez-vous à un administrateur.',
    too_many_attempts: ({ seconds }) =>
      `Trop de mots de passe faux. Réessayez dans ${wait(Number(seconds))} ; d’ici là, même le bon est refusé.`,
    rate_limited: ({ seconds }) => `Trop d’essais. Réessayez dans ${wait(Number(seconds))}.`,
    link_used: () =>
      'Ce lien a déjà servi ou a expiré. Créez un compte sur la machine du service avec « vitrine admin password ».',
    changed_meanwhile: ({ name = '' }) =>
      `Un autre administrateur a modifié ${name} depuis que vous l’avez ouverte. Rien n’a été enregistré : vérifiez les valeurs actuelles, puis refaites votre changement.`,
    time_invalid: () => 'Saisissez une date comme le champ l’indique, ou laissez-le vide.',
    span_invalid: ({ most = 0 }) => `La période est trop longue : ${most} jours au plus.`,
    too_many_rows: ({ most = 0 }) => `Le fichier aurait plus de ${most} lignes. Choisissez une période plus courte.`,
    act_unknown: () => 'L’historique n’a pas d’entrée de ce type. Choisissez-en un autre.',
    name_missing: () => 'Saisissez un nom pour la clé.',
    name_invalid: ({ most = 0 }) => `Le nom doit avoir 1 à ${most} caractères, sur une seule ligne.`,
    permissions_missing: () => 'Choisissez au moins un type de données.',
    rate_invalid: ({ most = 0 }) => `Les requêtes par minute sont un nombre entier de 1 à ${most}.`,
    expires_invalid: () => 'Choisissez une date valable, ou laissez vide.',
    expires_past: () => 'Ce jour est passé. Choisissez aujourd’hui ou un jour à venir.',
    addresses_invalid: ({ given = '' }) =>
      `« ${given} » n’est ni une adresse ni une plage, par exemple 203.0.113.7 ou 198.51.100.0/24.`,
    addresses_prefix: ({ given = '', most = 0 }) =>
      `Le nombre après la barre dans « ${given} » doit être de 0 à ${most}.`,
    addresses_host_bits: ({ given = '', range = '', one = '' }) =>
      `« ${given} » n’est pas le début d’une plage. Écrivez ${range} pour toute la plage, ou ${one} pour cette seule adresse.`,
    addresses_many: ({ most = 0 }) => `Trop d’adresses : ${most} adresses et plages au plus.`,
    rotation_under_way: () => 'Deux codes fonctionnent déjà. Mettez fin à l’ancien avant d’en créer un autre.',
    no_rotation: () => 'L’ancien code a déjà pris fin : un seul code fonctionne.',
    nothing_to_change: () => 'Rien n’a été changé.',
    key_revoked: () => 'Cette clé a été révoquée et ne peut plus être modifiée.',
    key_unknown: ({ key = '' }) => `La clé ${key} n’existe pas. Choisissez-en une dans la liste des clés.`,
    key_mistyped: ({ key = '', meant = '' }) => `La clé ${key} n’existe pas ; peut-être vouliez-vous ${meant}.`,
  },
}
