// What a command is, as data: the parser, the help and the documentation all read it.

export interface Option {
  /** Without the dashes. */
  name: string
  /** What stands for the value in the help, as in `--scale N`. Absent: a flag. */
  value?: string
  help: string
  required?: boolean
}

export interface Operand {
  name: string
  help: string
  /** The last one alone: none, one or several of it. */
  isRepeated?: true
}

export interface Command {
  /** One word, or two: `keys create`. */
  name: string
  summary: string
  /** Paragraphs below the summary in the command's own help, a blank line between two. */
  details?: string
  /** It works on the POS data alone: where the state is need not be known. */
  isStateless?: true
  operands: readonly Operand[]
  options: readonly Option[]
  /** What is wrong with the values that were given, so that it is said together with what is wrong with the words. */
  check?(options: Readonly<Record<string, string>>, operands: readonly string[]): string[]
}

export const commonOptions: readonly Option[] = [
  { name: 'config', value: 'FILE', help: 'Reads the settings from this file.' },
  { name: 'json', help: 'Prints JSON on stdout and nothing else.' },
  { name: 'help', help: 'Prints this help (also -h).' },
]

export const optionsOf = (command: Command): Option[] => [...command.options, ...commonOptions]

export const commandsIn = <C extends Command>(group: string, commands: readonly C[]): C[] =>
  commands.filter(({ name }) => name.startsWith(`${group} `))

export const operandText = ({ name, isRepeated }: Operand): string => (isRepeated ? `[${name} …]` : name)

export const optionText = ({ name, value }: Option): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`
