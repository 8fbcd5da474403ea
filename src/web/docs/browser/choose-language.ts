// Runs before the page is shown, as a plain script. /docs answers in the language that the browser asks for; a reader who has chosen the
// other language before gets that one. The addresses of /docs/en and /docs/fr are taken as they are.
import { readKept } from '../../page/browser/kept.ts'

const chosen = readKept('language')
const isOther = (chosen === 'en' || chosen === 'fr') && chosen !== document.documentElement.lang
if (location.pathname === '/docs' && isOther) location.replace(`/docs/${chosen}${location.hash}`)
