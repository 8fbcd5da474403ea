// The generated files of this repository: path → text.
import { clientTypes } from '../describe/client-types.ts'
import { errorsPage, resourcesPage, settingsPage, page } from '../describe/reference-pages.ts'
import type { Command } from '../terminal/command.ts'
import { commandHelp } from '../terminal/help-text.ts'

export const generatedFiles = (commands: readonly Command[]): Readonly<Record<string, string>> => ({
  'client/resources.ts': clientTypes(),
  'docs/reference/commands.md': commandsPage(commands),
  'docs/reference/errors.md': errorsPage(),
  'docs/reference/resources.md': resourcesPage(),
  'docs/reference/settings.md': settingsPage(),
})

const commandsPage = (commands: readonly Command[]): string =>
  page(
    'Commands',
    'Run a command as `npx vitrine …` in a clone, and as `node bin/vitrine.mjs …` under a supervisor, because npx does not pass signals on. Every command has `--help` and `--json`: one JSON object on stdout, or one for each line of a list, and nothing else; messages for people go to stderr. Exit status: 0 done, 1 failed, 2 wrong usage or `serve` cannot start.',
    ...commands.flatMap((command) => [`## ${command.name}`, `\`\`\`\n${commandHelp(command)}\n\`\`\``]),
  )
