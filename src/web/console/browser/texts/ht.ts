// Everything the page says, in Haitian Creole.
import type { Texts } from './en.ts'
import { keys } from './ht-keys.ts'
import { pages } from './ht-pages.ts'
import { service } from './ht-service.ts'

export const texts: Texts = { ...keys, ...pages, ...service }
