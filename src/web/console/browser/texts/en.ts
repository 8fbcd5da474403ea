// Everything the page says, in English. The other languages have the same keys: their types are made from these.
import { keys } from './en-keys.ts'
import { pages } from './en-pages.ts'
import { service } from './en-service.ts'
import { words } from './en-words.ts'

export const texts = { ...keys, ...pages, ...service, ...words }

export type Texts = typeof texts
