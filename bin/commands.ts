// Every command of `vitrine`: those of the service, and that of the client package.
import { pullCommand } from '../client/pull/command.ts'
import { commands } from '../src/cli/commands.ts'

export const allCommands = [...commands, pullCommand]
