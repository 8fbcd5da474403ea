// What the page says in French: usage, and before something typed is lost.
import type { PagesTexts } from './en-pages.ts'

export const pages: PagesTexts = {
  leave: {
    code: 'Quitter sans enregistrer le code de sécurité ?',
    codeMeans:
      'Le code de sécurité n’est affiché qu’ici et maintenant. Une fois la page quittée, il ne peut plus être affiché.',
    codeAction: 'Quitter quand même',
    typed: 'Quitter sans enregistrer ?',
    typedMeans: 'Ce que vous avez saisi ici sera perdu.',
    typedAction: 'Quitter sans enregistrer',
  },
  usage: {
    title: 'Utilisation',
    titleOf: (name) => `Utilisation de ${name}`,
    lead: 'Combien chaque clé lit, et ce qui a été refusé. Les dix dernières secondes peuvent manquer.',
    span: 'Période',
    day: '24 dernières heures',
    month: '30 derniers jours',
    year: '12 derniers mois',
    own: 'Votre propre période',
    show: 'Afficher',
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
    why: 'Causes des refus',
    byResource: 'Par type de données',
    resource: 'Données',
    changes: 'Flux des modifications',
    other: 'Autres requêtes',
    byKey: 'Par clé',
    key: 'Clé',
    none: 'Aucune requête pendant cette période',
    noneNote: 'Créez une clé pour un programme, ou choisissez une période plus longue.',
    unused: 'Droits inutilisés',
    unusedLead: (days) => `Ces clés peuvent lire plus que ce qu’elles ont lu en ${days} jours.`,
    unusedMore: (count, shown) =>
      count === 1
        ? 'Une autre clé a des droits inutilisés. Toutes :'
        : `${shown} autres clés ont des droits inutilisés. Toutes :`,
    unusedNone: (days) =>
      `Chaque clé a utilisé tous ses droits au cours des ${days} derniers jours, ou les a reçus plus tard.`,
    gone: 'une clé supprimée',
  },
}
