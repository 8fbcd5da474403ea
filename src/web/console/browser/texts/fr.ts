// Everything the page says, in French.
import type { Texts } from './en.ts'
import { keys } from './fr-keys.ts'
import { pages } from './fr-pages.ts'
import { service } from './fr-service.ts'

export const texts: Texts = { ...keys, ...pages, ...service }
