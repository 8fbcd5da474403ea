// The files of this project that are made from its tables, each with the text it has to hold.
import { clientTypes } from '../describe/client-types.ts'
import { errorsPage, resourcesPage, settingsPage } from '../describe/reference-pages.ts'
import { commandsPage } from './commands-page.ts'

export const generatedFiles = (): Readonly<Record<string, string>> => ({
  'client/resources.ts': clientTypes(),
  'docs/reference/commands.md': commandsPage(),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/resources.md': resourcesPage(),
  'docs/reference/settings.md': settingsPage(),
})
