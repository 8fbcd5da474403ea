// The script of the page in English: only its texts are loaded.
import { startPage } from './page.ts'
import { texts } from './texts-en.ts'

startPage(texts)
