// Commands as data → help texts of at most 80 columns: for the program, for a group such as `keys`, for one command.

import { commandsIn, commonOptions, operandText, optionsOf, optionText, type Command, type Option } from './command.ts'

const width = 80
const about = "A read-only REST API over a company's point-of-sale data."
const common = `Every command takes ${commonOptions.map(optionText).join(', ')}.`

export function programHelp(commands: readonly Command[]): string {
  return page(
    usage(['vitrine', 'COMMAND', '[OPTIONS]']),
    wrap(about),
    titled('Commands:', summaries(commands)),
    wrap(`${common} "vitrine COMMAND --help" explains a command, "vitrine --version" prints the version.`),
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
  const { operands = [], options = [] } = command
  const optionTexts = options.map((option) =>
    option.required && option.instead === undefined ? optionText(option) : `[${optionText(option)}]`,
  )
  return page(
    usage(['vitrine', ...command.name.split(' '), ...operands.map(operandText), ...optionTexts, '[OPTIONS]']),
    wrap(command.summary),
    ...(command.details?.split(/\n\s*\n/).map(wrap) ?? []),
    titled(
      'Operands:',
      operands.map(({ name, help }) => [name, help]),
    ),
    titled(
      'Options:',
      optionsOf(command).map((option) => [optionText(option), option.help + requiredText(option)]),
    ),
  )
}

const requiredText = ({ required, instead }: Option): string =>
  required ? ` Required${instead === undefined ? '' : `, or --${instead}`}.` : ''

const summaries = (commands: readonly Command[]): [string, string][] =>
  commands.map(({ name, summary }) => [name, summary])

const page = (...parts: string[]): string => parts.filter((part) => part !== '').join('\n\n')

// A pair such as `--name N` is one piece, so it is never split.
const usage = (pieces: string[]): string => fill(pieces, width, 'Usage: ', '         ')

function titled(title: string, rows: readonly (readonly [string, string])[]): string {
  if (rows.length === 0) return ''
  const left = Math.min(28, Math.max(...rows.map(([name]) => name.length)))
  const lines = rows.map(([name, help]) => {
    const indent = ' '.repeat(left + 4)
    // A long name gets its own line.
    const start = name.length > left ? `  ${name}\n${indent}` : `  ${name.padEnd(left + 2)}`
    return start + fill(help.split(/\s+/), width, indent, indent).slice(indent.length)
  })
  return [title, ...lines].join('\n')
}

const wrap = (text: string): string => wrapText(text, width)

// Joins pieces with blanks into lines of at most `width` columns. Pieces are not split.
function fill(pieces: readonly string[], width: number, first = '', following = first): string {
  const lines: string[] = []
  let line = first
  let isStart = true
  for (const piece of pieces) {
    if (!isStart && line.length + 1 + piece.length > width) {
      lines.push(line)
      line = following
      isStart = true
    }
    line += isStart ? piece : ` ${piece}`
    isStart = false
  }
  return [...lines, line].join('\n')
}

export const wrapText = (text: string, width: number, indent = ''): string =>
  fill(text.trim().split(/\s+/), width, indent)
