// What the page says in Haitian Creole: names of data, and what can go wrong.
import type { WordsTexts } from './en-words.ts'

const wait = (seconds: number) => `${seconds} segonn`

export const words: WordsTexts = {
  permissions: {
    'products:read': ['Pwodwi', 'Non, kòd, pri, estòk'],
    'customers:read': ['Kliyan', 'Non, adrès, telefòn'],
    'vendors:read': ['Founisè', 'Konpayi kote ou achte'],
    'quotes:read': ['Devi', 'Òf ou fè kliyan'],
    'sales-orders:read': ['Kòmand kliyan', 'Sa kliyan yo kòmande'],
    'invoices:read': ['Fakti', 'Sa ki vann, liy pa liy'],
    'credit-memos:read': ['Nòt kredi', 'Ranbousman ak machandiz yo remèt'],
    'payments:read': ['Peman', 'Sa kliyan yo peye'],
    'purchase-orders:read': ['Bon kòmand', 'Sa ou menm ou kòmande'],
    'receivings:read': ['Resepsyon', 'Sa ki rive soti kay founisè'],
    'transfers:read': ['Transfè', 'Sa ki deplase ant magazen'],
    'adjustments:read': ['Ajisteman', 'Koreksyon estòk'],
    'reference:read': ['Lis', 'Magazen, depatman, lis pri, kalite kliyan'],
    'costs:read': ['Koutan', 'Konbyen machandiz yo koute ou'],
    'customers:financial': ['Balans', 'Sa kliyan yo dwe, ak limit kredi yo'],
  },
  resources: {
    stores: 'Magazen',
    departments: 'Depatman',
    'sub-departments': 'Sou-depatman',
    'price-lists': 'Lis pri',
    'customer-types': 'Kalite kliyan',
  },
  faults: {
    unreachable: () => 'Sèvis la pa reponn. Gade si l ap mache, epi eseye ankò.',
    perhaps_done: () => 'Sèvis la pa reponn. Petèt chanjman an fèt: gade anvan ou eseye ankò.',
    unknown: ({ status = 0 }) => `Sèvis la bay yon repons nou pa t ap tann (${status}). Rechaje paj la.`,
    signed_out: () => 'Sesyon ou fini. Konekte ankò.',
    not_found: () => 'Paj sa a pa egziste. Petèt yo retire l.',
    internal_error: () => 'Sèvis la echwe. Eseye ankò; si sa kontinye, gade jounal sèvis la.',
    password_missing: () => 'Mete modpas la.',
    password_short: ({ fewest = 0 }) => `Modpas la twò kout: li bezwen ${fewest} karaktè oswa plis.`,
    password_long: ({ most = 0 }) => `Modpas la twò long: ${most} karaktè pou pi plis.`,
    passwords_differ: () => 'De modpas yo pa menm.',
    password_simple: () => 'Modpas la twò senp: sèvi ak plis pase twa karaktè diferan.',
    who_missing: ({ most = 0 }) => `Mete non ou, 1 rive ${most} karaktè.`,
    wrong_password: () =>
      'Non an oswa modpas la pa bon. Apre senk move esè, ou dwe tann anvan chak lòt esè, yon minit omaksimòm.',
    wrong_present_password: () => 'Modpas aktyèl la pa bon. Anyen pa chanje.',
    account_name_invalid: ({ most = 0 }) => `Non yon kont gen 1 rive ${most} karaktè, ak omwen yon lèt oswa yon chif.`,
    account_exists: ({ name = '' }) => `Gen yon kont « ${name} » deja. Chwazi yon lòt non.`,
    account_unknown: ({ name = '' }) => `Pa gen kont « ${name} ». Petèt yo retire l.`,
    last_administrator: ({ name = '' }) => `${name} se dènye administratè a. Bay yon lòt kont wòl sa a anvan.`,
    viewer_only: () => 'Ou se lektè: ou ka wè tout bagay, ou pa ka chanje anyen. Mande yon administratè.',
    too_many_attempts: ({ seconds }) =>
      `Twòp move modpas. Eseye ankò nan ${wait(Number(seconds))}; anvan sa, menm bon modpas la ap refize.`,
    rate_limited: ({ seconds }) => `Twòp esè. Eseye ankò nan ${wait(Number(seconds))}.`,
    link_used: () =>
      'Lyen sa a te gentan sèvi, oswa li fini. Kreye yon kont sou machin sèvis la ak « vitrine admin password ».',
    changed_meanwhile: ({ name = '' }) =>
      `Yon lòt administratè chanje ${name} depi ou te louvri l la. Anyen pa anrejistre: gade valè ki la kounye a, epi refè chanjman an.`,
    time_invalid: () => 'Mete yon dat jan chan an montre a, oswa kite l vid.',
    span_invalid: ({ most = 0 }) => `Peryòd la twò long: ${most} jou pou pi plis.`,
    too_many_rows: ({ most = 0 }) => `Fichye a ta gen plis pase ${most} liy. Chwazi yon peryòd ki pi kout.`,
    act_unknown: () => 'Istorik la pa gen antre kalite sa a. Chwazi yon lòt.',
    name_missing: () => 'Mete yon non pou kle a.',
    name_invalid: ({ most = 0 }) => `Non an dwe gen 1 rive ${most} karaktè, sou yon sèl liy.`,
    permissions_missing: () => 'Chwazi omwen yon kalite done.',
    rate_invalid: ({ most = 0 }) => `Demann pa minit se yon nonm antye, soti 1 rive ${most}.`,
    expires_invalid: () => 'Chwazi yon dat ki bon, oswa kite l vid.',
    expires_past: () => 'Jou sa a pase deja. Chwazi jodi a oswa yon jou k ap vini.',
    addresses_invalid: ({ given = '' }) =>
      `« ${given} » se pa ni yon adrès ni yon seri adrès, tankou 203.0.113.7 oswa 198.51.100.0/24.`,
    addresses_prefix: ({ given = '', most = 0 }) => `Nonm ki apre ba a nan « ${given} » dwe ant 0 ak ${most}.`,
    addresses_host_bits: ({ given = '', range = '', one = '' }) =>
      `« ${given} » se pa kòmansman yon seri adrès. Ekri ${range} pou tout seri a, oswa ${one} pou adrès sa a sèlman.`,
    addresses_many: ({ most = 0 }) => `Twòp adrès: ${most} adrès ak seri adrès pou pi plis.`,
    rotation_under_way: () => 'De kòd ap mache deja. Fini ak ansyen an anvan ou fè yon lòt.',
    no_rotation: () => 'Ansyen kòd la fini deja: se yon sèl kòd k ap mache.',
    nothing_to_change: () => 'Anyen pa chanje.',
    key_revoked: () => 'Yo retire kle sa a; li pa ka chanje ankò.',
    key_unknown: ({ key = '' }) => `Kle ${key} pa egziste. Chwazi youn nan lis kle yo.`,
    key_mistyped: ({ key = '', meant = '' }) => `Kle ${key} pa egziste; petèt se ${meant} ou vle di.`,
  },
}
