// The program `vitrine`: runs the words of the command line in this process.
import process from 'node:process'
import { runCommandLine } from './command-line.ts'

// Whoever reads stdout may go away, as in `vitrine keys list | head`: that is no fault, and the service goes on.
process.stdout.on('error', () => {})

// The files we make hold the company's data or secrets: they are for this user alone. Existing files keep their mode.
process.umask(0o077)

const { env, stdout, stderr } = process
process.exitCode = await runCommandLine(process.argv.slice(2), { env, cwd: process.cwd(), stdout, stderr })
