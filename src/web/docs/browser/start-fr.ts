// The script of the page in French: only its texts are loaded.
import { startPage } from './page.ts'
import { texts } from './texts-fr.ts'

startPage(texts)
