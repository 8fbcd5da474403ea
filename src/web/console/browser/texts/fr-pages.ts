// What the page says in French: accounts, usage, names of data, and what can go wrong.
import type { PagesTexts } from './en-pages.ts'

const wait = (seconds: number) => `${seconds} ${seconds === 1 ? 'seconde' : 'secondes'}`

export const pages: PagesTexts = {
  leave: {
    stay: 'Rester ici',
    code: {
      title: 'Quitter sans enregistrer le code de sécurité ?',
      means:
        'Le code de sécurité n’est affiché qu’ici et maintenant. Une fois la page quittée, il ne peut plus être affiché.',
      action: 'Quitter quand même',
    },
    typed: {
      title: 'Quitter sans enregistrer ?',
      means: 'Ce que vous avez saisi ici sera perdu.',
      action: 'Quitter sans enregistrer',
    },
  },
  accounts: {
    lead: 'Qui peut se connecter à cette console. Chaque personne a son propre compte, pour que l’historique nomme qui a fait quoi.',
    roles: { administrator: 'Administrateur', viewer: 'Lecteur' },
    roleMeans: {
      administrator: 'Un administrateur peut tout modifier, y compris les comptes.',
      viewer: 'Un lecteur voit tout et ne modifie rien.',
    },
    last: 'Dernière connexion',
    you: 'vous',
    create: 'Nouveau compte',
    submit: 'Créer le compte',
    makeIt: { administrator: 'Rendre administrateur', viewer: 'Rendre lecteur' },
    roleTitle: {
      administrator: (name) => `Faire de ${name} un administrateur ?`,
      viewer: (name) => `Faire de ${name} un lecteur ?`,
    },
    signsOut: 'Le compte est déconnecté partout.',
    setPassword: 'Définir le mot de passe',
    passwordTitle: (name) => `Définir un nouveau mot de passe pour ${name} ?`,
    passwordMeans: 'Remettez-le de façon sûre. La personne peut le changer sous « Votre compte ».',
    remove: 'Supprimer',
    removeTitle: (name) => `Supprimer le compte de ${name} ?`,
    removeMeans: 'La personne est déconnectée et ne peut plus se connecter.',
    removeKeeps: 'Les clés créées par cette personne continuent de fonctionner, et l’historique garde son nom.',
    made: (name) => `Le compte ${name} est créé.`,
    changed: (name) => `Le compte ${name} est modifié.`,
    removed: (name) => `Le compte ${name} est supprimé.`,
  },
  usage: {
    titleOf: (name) => `Utilisation de ${name}`,
    lead: 'Combien chaque clé lit, et ce qui a été refusé. Les dix dernières secondes peuvent manquer.',
    span: 'Période',
    day: '24 dernières heures',
    month: '30 derniers jours',
    year: '12 derniers mois',
    own: 'Votre propre période',
    requests: 'Requêtes',
    records: 'Fiches',
    refusals: 'Refusées',
    answered: 'Avec réponse',
    per: { hour: 'Requêtes par heure', day: 'Requêtes par jour', month: 'Requêtes par mois' },
    causes: {
      rate_limited: [
        'Limite de débit',
        'Le programme envoie plus de requêtes que sa clé ne le permet. Faites-le attendre aussi longtemps que la réponse l’indique, ou relevez la limite de la clé.',
      ],
      not_allowed: [
        'Non autorisée',
        'La clé n’a pas le droit de lire ce qui était demandé, ou sa connexion a expiré. Comparez ses droits avec ce dont le programme a besoin.',
      ],
      bad_request: [
        'Requête erronée',
        'La requête contient une erreur, que la réponse nomme. Le développeur du programme peut la corriger.',
      ],
      not_found: ['Introuvable', 'La fiche n’existe pas ou la clé ne peut pas la voir, ou l’adresse est mal écrite.'],
      server_error: [
        'Erreur du service',
        'Le service n’a pas pu répondre, par exemple parce que la base de données était absente. Voir l’état du service.',
      ],
    },
    partial: 'en cours',
    lastPartial: 'La dernière barre, plus claire, n’est pas terminée.',
    choose: 'Pointez une barre, ou utilisez les flèches du clavier, pour lire ses valeurs.',
    asTable: 'En tableau',
    when: 'Quand',
    byCause: 'Refus par cause',
    cause: 'Cause',
    whatToDo: 'Que faire',
    noRefusals: 'Aucune requête n’a été refusée pendant cette période.',
    signIns: 'Les connexions refusées ne sont pas comptées ici ; voir',
    why: 'Causes des refus',
    byResource: 'Par type de données',
    resource: 'Données',
    changes: 'Flux des changements',
    other: 'Autres requêtes',
    byKey: 'Par clé',
    key: 'Clé',
    none: 'Aucune requête pendant cette période',
    noneNote: 'Créez une clé pour un programme, ou choisissez une période plus longue.',
    unused: 'Droits inutilisés',
    unusedLead: (days) => `Ces clés peuvent lire plus que ce qu’elles ont lu en ${days} jours.`,
    unusedMore: 'Une autre clé a des droits inutilisés. Toutes : | # autres clés ont des droits inutilisés. Toutes :',
    unusedNone: (days) =>
      `Chaque clé a utilisé tous ses droits au cours des ${days} derniers jours, ou les a reçus plus tard.`,
    gone: 'une clé supprimée',
  },
  faults: {
    unreachable: () => 'Le service ne répond pas. Vérifiez qu’il fonctionne, puis réessayez.',
    perhaps_done: () => 'Le service n’a pas répondu. Le changement a peut-être été fait : vérifiez avant de réessayer.',
    unknown: ({ status = 0 }) => `Le service a donné une réponse inattendue (${status}). Rechargez la page.`,
    signed_out: () => 'Votre session est terminée. Reconnectez-vous.',
    not_found: () => 'Cette page n’existe pas. Elle a peut-être été supprimée.',
    internal_error: () => 'Le service a échoué. Réessayez ; si cela persiste, consultez le journal du service.',
    'password.missing': () => 'Saisissez le mot de passe.',
    'password.short': ({ fewest = 0 }) => `Le mot de passe est trop court : il lui faut ${fewest} caractères ou plus.`,
    'password.long': ({ most = 0 }) => `Le mot de passe est trop long : ${most} caractères au plus.`,
    'repeat.different': () => 'Les deux mots de passe sont différents.',
    'password.simple': () => 'Le mot de passe est trop simple : utilisez plus de trois caractères différents.',
    'name.person_missing': ({ most = 0 }) => `Saisissez votre nom, de 1 à ${most} caractères.`,
    'password.wrong': () =>
      'Nom ou mot de passe incorrect. Après cinq erreurs, il faut attendre avant chaque nouvel essai, une minute au plus.',
    'current.wrong': () => 'Le mot de passe actuel est incorrect. Rien n’a été changé.',
    'name.account_invalid': ({ most = 0 }) =>
      `Le nom d’un compte a de 1 à ${most} caractères, dont au moins une lettre ou un chiffre.`,
    'name.account_exists': ({ name = '' }) => `Il y a déjà un compte « ${name} ». Choisissez un autre nom.`,
    account_unknown: ({ name = '' }) => `Il n’y a pas de compte « ${name} ». Il a peut-être été supprimé.`,
    last_administrator: ({ name = '' }) =>
      `${name} est le dernier administrateur. Donnez d’abord ce rôle à un autre compte.`,
    viewer_only: () =>
      'Vous êtes lecteur : vous pouvez tout voir, mais ne rien modifier. Adressez-vous à un administrateur.',
    'password.too_many_attempts': ({ seconds }) =>
      `Trop de mots de passe faux. Réessayez dans ${wait(Number(seconds))} ; d’ici là, même le bon est refusé.`,
    rate_limited: ({ seconds }) => `Trop d’essais. Réessayez dans ${wait(Number(seconds))}.`,
    link_used: () =>
      'Ce lien a déjà servi ou a expiré. Créez un compte sur la machine du service avec « vitrine admin password ».',
    changed_meanwhile: ({ name = '' }) =>
      `Un autre administrateur a modifié ${name} depuis que vous l’avez ouverte. Rien n’a été enregistré : vérifiez les valeurs actuelles, puis refaites votre changement.`,
    time_invalid: () => 'Saisissez une date comme le champ l’indique, ou laissez-le vide.',
    span_invalid: ({ most = 0 }) => `La période est trop longue : ${most} jours au plus.`,
    too_many_rows: ({ most = 0 }) => `Le fichier aurait plus de ${most} lignes. Choisissez une période plus courte.`,
    action_unknown: () => 'L’historique n’a pas d’entrée de ce type. Choisissez-en un autre.',
    'name.missing': () => 'Saisissez un nom pour la clé.',
    'name.invalid': ({ most = 0 }) => `Le nom doit avoir 1 à ${most} caractères, sur une seule ligne.`,
    'permissions.missing': () => 'Choisissez au moins un type de données.',
    'rate.invalid': ({ most = 0 }) => `Les requêtes par minute sont un nombre entier de 1 à ${most}.`,
    'expires.invalid': () => 'Choisissez une date valable, ou laissez vide.',
    'expires.past': () => 'Ce jour est passé. Choisissez aujourd’hui ou un jour à venir.',
    'addresses.invalid': ({ given = '' }) =>
      `« ${given} » n’est ni une adresse ni une plage, par exemple 203.0.113.7 ou 198.51.100.0/24.`,
    'addresses.prefix': ({ given = '', most = 0 }) =>
      `Le nombre après la barre dans « ${given} » doit être de 0 à ${most}.`,
    'addresses.host_bits': ({ given = '', range = '', one = '' }) =>
      `« ${given} » n’est pas le début d’une plage. Écrivez ${range} pour toute la plage, ou ${one} pour cette seule adresse.`,
    'addresses.many': ({ most = 0 }) => `Trop d’adresses : ${most} adresses et plages au plus.`,
    rotation_under_way: () => 'Deux codes fonctionnent déjà. Mettez fin à l’ancien avant d’en créer un autre.',
    no_rotation: () => 'L’ancien code a déjà pris fin : un seul code fonctionne.',
    key_revoked: () => 'Cette clé a été révoquée et ne peut plus être modifiée.',
    key_unknown: ({ key = '' }) => `La clé ${key} n’existe pas. Choisissez-en une dans la liste des clés.`,
    key_mistyped: ({ key = '', meant = '' }) => `La clé ${key} n’existe pas ; peut-être vouliez-vous ${meant}.`,
  },
}
