// The reference of the command line, made from the commands themselves: what their `--help` says.
import { help as pullHelp } from '../../client/pull/arguments.ts'
import { page } from '../describe/reference-pages.ts'
import { commands } from './commands.ts'
import { commandHelp } from './help-text.ts'
import { pullCommand } from './pull.ts'

const titleOf = (name: string) => `## ${name}`

export const commandsPage = (): string =>
  page(
    'Commands',
    'Every command has `--help` and `--json` (one JSON object on stdout, or one a line for lists, and nothing else; messages for people go to stderr). Exit status 0 done, 1 failed, 2 wrong usage (and whatever keeps `serve` from starting). In a clone it is `npx vitrine …`; for a supervisor `node bin/vitrine.mjs …`, because npx does not pass signals on.',
    ...commands.flatMap((command) => [
      titleOf(command.name),
      `\`\`\`\n${command === pullCommand ? pullHelp.trim() : commandHelp(command)}\n\`\`\``,
    ]),
  )
