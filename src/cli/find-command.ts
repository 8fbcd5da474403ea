// The words after `vitrine` and the commands come in; the command they name goes out with the words that are left, or
// a group, or nothing, or a fault that offers the nearest command.

import { nearest } from '../platform/nearest.ts'
import { commandsIn, commonOptions } from './command.ts'
import type { Command } from './command.ts'

export type Named<C> = { command: C; rest: string[] } | { group: string } | { nothing: true } | { fault: string }

export function findCommand<C extends Command>(argv: readonly string[], commands: readonly C[]): Named<C> {
  const places = findWords(argv)
  const [first, second] = places.map((index) => argv[index])
  if (first === undefined) return { nothing: true }
  const command = commands.find(({ name }) => name === `${first} ${second}` || name === first)
  if (command) {
    const used = new Set(places.slice(0, command.name.split(' ').length))
    return { command, rest: argv.filter((_, index) => !used.has(index)) }
  }
  const inGroup = commandsIn(first, commands)
  if (inGroup.length === 0) return { fault: unknownCommand(first, second, commands) }
  return second === undefined ? { group: first } : { fault: unknownCommand(`${first} ${second}`, undefined, inGroup) }
}

// The command may follow options that every command has: `vitrine --config FILE keys list`.
function findWords(argv: readonly string[]): number[] {
  const places: number[] = []
  for (let index = 0; index < argv.length && argv[index] !== '--' && places.length < 2; index++) {
    const word = argv[index] ?? ''
    if (!word.startsWith('-')) places.push(index)
    else if (commonOptions.some(({ name, value }) => value !== undefined && word === `--${name}`)) index++
  }
  return places
}

function unknownCommand(word: string, next: string | undefined, commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name)
  const groups = names.flatMap((name) => (name.includes(' ') ? (name.split(' ')[0] ?? []) : []))
  const both = `${word} ${next ?? ''}`.trim()
  const meantByBoth = nearest(both, names)
  const meant = meantByBoth ?? nearest(word, [...names, ...groups])
  const guess = meant === undefined ? '.' : `: did you mean "${meant}"?`
  return `"${meantByBoth?.includes(' ') ? both : word}" is not a command${guess} The commands are ${names.join(', ')}.`
}
