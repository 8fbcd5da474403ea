// Commands as data come in; help for people goes out: for the program, for a group such as `keys`, for one command.
// No line is longer than 80 columns, so that it reads well in the narrowest usual terminal.

import { commandsIn, commonOptions, operandText, optionsOf, optionText } from './command.ts'
import type { Command } from './command.ts'
import { fill, wrapText } from './wrap.ts'

const width = 80
const about = "A read-only REST API over a company's point-of-sale data."
const common = `Every command takes ${commonOptions.map(optionText).join(', ')}.`

export function programHelp(commands: readonly Command[]): string {
  return page(
    usage(['vitrine', 'COMMAND', '[OPTIONS]']),
    wrap(about),
    titled('Commands:', summaries(commands)),
    wrap(`${common} "vitrine COMMAND --help" tells more of one, "vitrine --version" the version.`),
  )
}

export function groupHelp(group: string, commands: readonly Command[]): string {
  return page(
    usage(['vitrine', group, 'COMMAND', '[OPTIONS]']),
    titled('Commands:', summaries(commandsIn(group, commands))),
    wrap(common),
  )
}

export function commandHelp(command: Command): string {
  const options = command.options.map((option) => (option.required ? optionText(option) : `[${optionText(option)}]`))
  const operands = command.operands.map(operandText)
  return page(
    usage(['vitrine', ...command.name.split(' '), ...operands, ...options, '[OPTIONS]']),
    wrap(command.summary),
    ...(command.details?.split(/\n\s*\n/).map((paragraph) => wrap(paragraph)) ?? []),
    ...(operands.length > 0
      ? [
          titled(
            'Operands:',
            command.operands.map(({ name, help }) => [name, help]),
          ),
        ]
      : []),
    titled(
      'Options:',
      optionsOf(command).map((option) => [
        optionText(option),
        option.required ? `${option.help} Required.` : option.help,
      ]),
    ),
  )
}

const summaries = (commands: readonly Command[]): [string, string][] =>
  commands.map(({ name, summary }) => [name, summary])

const page = (...parts: string[]): string => parts.join('\n\n')

// A pair such as `--name N` is never broken, so each is one piece here.
const usage = (pieces: string[]): string => fill(pieces, width, 'Usage: ', '         ')

function titled(title: string, rows: readonly (readonly [string, string])[]): string {
  const left = Math.min(28, Math.max(...rows.map(([name]) => name.length)))
  const lines = rows.map(([name, help]) => {
    const indent = ' '.repeat(left + 4)
    // A name too long for its column stands on a line of its own.
    const start = name.length > left ? `  ${name}\n${indent}` : `  ${name.padEnd(left + 2)}`
    return start + fill(help.split(/\s+/), width, indent, indent).slice(indent.length)
  })
  return [title, ...lines].join('\n')
}

const wrap = (text: string): string => wrapText(text, width)
