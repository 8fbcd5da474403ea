// Everything the page says, in English. The other languages have the same keys: their types are made from these.
import { keys } from './en-keys.ts'
import { pages } from './en-pages.ts'
import { service } from './en-service.ts'

export const texts = { ...keys, ...pages, ...service }

export type Texts = typeof texts
