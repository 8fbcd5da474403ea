// `npm run generate`: writes the files that are made from tables of the project.
import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { generatedFiles } from '../src/cli/generated.ts'
import { allCommands } from './commands.ts'

for (const [path, text] of Object.entries(generatedFiles(allCommands))) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
  process.stdout.write(`${path}\n`)
}
