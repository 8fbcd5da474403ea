// The program `vitrine`: runs the words of the command line in this process.
import process from 'node:process'
import { runCommandLine } from '../src/cli/command-line.ts'
import { allCommands } from './commands.ts'

// A closed pipe, as in `vitrine keys list | head`, is not an error.
process.stdout.on('error', () => {})

// New files hold the company's data or secrets, so only this user may read them. Existing files keep their mode.
process.umask(0o077)

const { env, stdout, stderr } = process
process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands: allCommands,
  env,
  cwd: process.cwd(),
  stdout,
  stderr,
})
