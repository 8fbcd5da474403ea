// The command line: what is read, what is wrong (all of it at once), and help that fits 80 columns at every level.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseArguments } from '../../../src/terminal/arguments.ts'
import type { Command } from '../../../src/terminal/command.ts'

const commands: Command[] = [
  { name: 'serve', summary: 'Runs the service.', operands: [], options: [] },
  {
    name: 'demo',
    summary: 'Makes the demo company.',
    details: `Scale 1 is about 20,000 documents. ${'The same seed gives the same data. '.repeat(5)}\n\nA last word.`,
    operands: [],
    options: [
      { name: 'scale', value: 'N', help: 'How large.' },
      { name: 'force', help: 'Goes over what is there.' },
    ],
  },
  {
    name: 'import',
    summary: `Loads files, ${'all faults with file and line, '.repeat(4)}all or nothing.`,
    operands: [{ name: 'DIR', help: 'The folder.' }],
    options: [],
  },
  {
    name: 'keys create',
    summary: 'Makes a key.',
    operands: [],
    options: [
      { name: 'name', value: 'N', help: 'Its name.', required: true },
      { name: 'permissions', value: 'a,b|all', help: 'What it may read.', required: true },
      { name: 'stores', value: '1,2|none', help: 'Its stores.' },
      { name: 'a-name-that-is-long', value: 'AND-ITS-VALUE', help: 'Wide.' },
    ],
  },
  { name: 'keys show', summary: 'Shows a key.', operands: [{ name: 'KEY', help: 'Its access key.' }], options: [] },
  { name: 'admin password', summary: 'Sets it.', operands: [{ name: 'NAME', help: 'Whose.', isOptional: true }] },
]
const all = 'serve, demo, import, keys create, keys show, admin password'

const read: { say: string; argv: string[]; expect: [string, string[], Record<string, string>, string[]] }[] = [
  { say: 'a command of one word', argv: ['serve'], expect: ['serve', [], {}, []] },
  { say: 'a command of two words and its operand', argv: ['keys', 'show', 'K'], expect: ['keys show', ['K'], {}, []] },
  { say: '--name value', argv: ['demo', '--scale', '5'], expect: ['demo', [], { scale: '5' }, []] },
  { say: '--name=value', argv: ['demo', '--scale=5'], expect: ['demo', [], { scale: '5' }, []] },
  { say: '--name=value with another =', argv: ['demo', '--scale=a=b'], expect: ['demo', [], { scale: 'a=b' }, []] },
  { say: 'a value with a dash', argv: ['demo', '--scale', '-5'], expect: ['demo', [], { scale: '-5' }, []] },
  { say: 'a value with two dashes', argv: ['demo', '--scale=--x'], expect: ['demo', [], { scale: '--x' }, []] },
  { say: 'flags', argv: ['demo', '--force', '--json'], expect: ['demo', [], {}, ['force', 'json']] },
  { say: 'a flag takes no word', argv: ['import', '--json', 'd'], expect: ['import', ['d'], {}, ['json']] },
  {
    say: '--config anywhere',
    argv: ['--config', 'f', 'keys', 'show', 'K'],
    expect: ['keys show', ['K'], { config: 'f' }, []],
  },
  { say: '--json first', argv: ['--json', 'serve'], expect: ['serve', [], {}, ['json']] },
  {
    say: 'options between the words',
    argv: ['keys', '--config=f', 'show', 'K'],
    expect: ['keys show', ['K'], { config: 'f' }, []],
  },
  { say: 'after -- all are operands', argv: ['import', '--', '--help'], expect: ['import', ['--help'], {}, []] },
  { say: 'an operand that may be left out', argv: ['admin', 'password'], expect: ['admin password', [], {}, []] },
  { say: 'the same, given', argv: ['admin', 'password', 'A'], expect: ['admin password', ['A'], {}, []] },
  { say: 'a single dash is an operand', argv: ['import', '-'], expect: ['import', ['-'], {}, []] },
]

for (const { say, argv, expect } of read) {
  test(`arguments: ${say}`, () => {
    const parsed = parseArguments(argv, commands)
    assert.ok('command' in parsed, JSON.stringify(parsed))
    assert.deepEqual([parsed.command.name, parsed.operands, parsed.options, [...parsed.flags]], expect)
  })
}

const create = ['keys', 'create', '--name', 'N', '--permissions', 'all']
const wrong: { say: string; argv: string[]; faults: string[] }[] = [
  { say: 'no command', argv: [], faults: [`A command is missing: ${all}. "vitrine --help" explains them.`] },
  {
    say: 'no command before --',
    argv: ['--', 'serve'],
    faults: [`A command is missing: ${all}. "vitrine --help" explains them.`],
  },
  {
    say: 'no command, but an unknown option',
    argv: ['--bogus'],
    faults: [
      `A command is missing: ${all}. "vitrine --help" explains them.`,
      '--bogus is not an option of vitrine. The options are --config, --json, --help.',
    ],
  },
  {
    say: 'an unknown command, near to one',
    argv: ['sevre'],
    faults: [`"sevre" is not a command: did you mean "serve"? The commands are ${all}.`],
  },
  { say: 'an unknown command', argv: ['fly'], faults: [`"fly" is not a command. The commands are ${all}.`] },
  {
    say: 'an unknown command with help',
    argv: ['fly', '--help'],
    faults: [`"fly" is not a command. The commands are ${all}.`],
  },
  {
    say: 'a misspelt group',
    argv: ['kyes', 'show', 'K'],
    faults: [`"kyes show" is not a command: did you mean "keys show"? The commands are ${all}.`],
  },
  {
    say: 'a misspelt group alone',
    argv: ['kyes'],
    faults: [`"kyes" is not a command: did you mean "keys"? The commands are ${all}.`],
  },
  { say: 'a group alone', argv: ['keys'], faults: ['"keys" needs a second word: keys create, keys show.'] },
  {
    say: 'an unknown word in a group: only its own commands are listed',
    argv: ['keys', 'shwo'],
    faults: ['"keys shwo" is not a command: did you mean "keys show"? The commands are keys create, keys show.'],
  },
  {
    say: 'a misspelt option: its value is no second fault, and it is not missing',
    argv: ['keys', 'create', '--nmae', 'x', '--permissions', 'all'],
    faults: ['--nmae is not an option of "keys create": did you mean --name?'],
  },
  {
    say: 'an unknown option: its value is no second fault',
    argv: ['demo', '--bogus', '5'],
    faults: ['--bogus is not an option of "demo". The options are --scale, --force, --config, --json, --help.'],
  },
  {
    say: 'an unknown option before the operand',
    argv: ['keys', 'show', '--bogus', 'K'],
    faults: ['--bogus is not an option of "keys show". The options are --config, --json, --help.'],
  },
  {
    say: 'a short option',
    argv: ['demo', '-x'],
    faults: ['-x is not an option of "demo". The options are --scale, --force, --config, --json, --help.'],
  },
  {
    say: 'one dash too few',
    argv: ['demo', '-force'],
    faults: ['-force is not an option of "demo": did you mean --force?'],
  },
  {
    say: '--version of a command',
    argv: ['serve', '--version'],
    faults: ['--version is not an option of "serve". The options are --config, --json, --help.'],
  },
  { say: 'no value at the end', argv: ['demo', '--scale'], faults: ['--scale needs a value: --scale N.'] },
  {
    say: 'no value before an option',
    argv: ['demo', '--scale', '--force'],
    faults: ['--scale needs a value: --scale N.'],
  },
  { say: 'no value before --', argv: ['demo', '--scale', '--'], faults: ['--scale needs a value: --scale N.'] },
  { say: 'an empty value', argv: ['demo', '--scale='], faults: ['--scale needs a value: --scale N.'] },
  { say: 'an empty word as value', argv: ['demo', '--scale', ''], faults: ['--scale needs a value: --scale N.'] },
  { say: 'a value for a flag', argv: ['demo', '--force=yes'], faults: ['--force takes no value.'] },
  { say: 'an option twice', argv: ['demo', '--scale=1', '--scale=1'], faults: ['--scale is given more than once.'] },
  { say: 'a flag twice', argv: ['demo', '--force', '--force'], faults: ['--force is given more than once.'] },
  { say: 'a missing operand', argv: ['import'], faults: ['"import" needs DIR.'] },
  { say: 'a surplus operand', argv: ['import', 'a', 'b'], faults: ['"b" is too much: "import" takes DIR.'] },
  {
    say: 'an operand where none is taken',
    argv: [...create, 'x'],
    faults: ['"x" is too much: "keys create" takes no operands.'],
  },
  {
    say: 'everything at once',
    argv: ['keys', 'create', 'a', '--stoers', '1', '--json', '--json', '--bogus', 'b', 'c', '--config'],
    faults: [
      '--stoers is not an option of "keys create": did you mean --stores?',
      '--json is given more than once.',
      '--bogus is not an option of "keys create". The options are --name, --permissions, --stores, --a-name-that-is-long, --config, --json, --help.',
      '--config needs a value: --config FILE.',
      '"keys create" needs --name N.',
      '"keys create" needs --permissions a,b|all.',
      '"a" is too much: "keys create" takes no operands.',
      '"c" is too much: "keys create" takes no operands.',
    ],
  },
]

for (const { say, argv, faults } of wrong) {
  test(`arguments: ${say}`, () => assert.deepEqual(parseArguments(argv, commands), { faults }))
}

test('arguments: --version', () => assert.deepEqual(parseArguments(['--version'], commands), { version: true }))

function helpOf(...argv: string[]): string {
  const parsed = parseArguments(argv, commands)
  assert.ok('help' in parsed, JSON.stringify(parsed))
  return parsed.help
}

test('help: of the program, with every command and its summary', () => {
  const help = helpOf('--help')
  assert.equal(helpOf('-h'), help)
  for (const { name } of commands) assert.match(help, new RegExp(`^  ${name} +\\S`, 'm'))
  assert.match(help, /^Usage: vitrine COMMAND \[OPTIONS\]\n/)
})

test('help: of a group, with its commands alone', () => {
  const help = helpOf('keys', '-h')
  assert.match(help, /^ {2}keys create {2}Makes a key\.$/m)
  assert.doesNotMatch(help, /serve/)
})

test('help: of a command, whatever else is wrong', () => {
  const help = helpOf('keys', 'create', '--bogus', '--help')
  assert.match(help, /^Usage: vitrine keys create --name N --permissions a,b\|all \[--stores 1,2\|none\]\n/)
  for (const option of ['--name N', '--permissions a,b|all', '--config FILE', '--json', '--help']) {
    assert.ok(help.includes(`\n  ${option} `), option)
  }
  assert.match(help, /^ {2}--name N .* Required\.$/m)
  assert.match(helpOf('import', '--help'), /^Operands:\n {2}DIR {2}The folder\.$/m)
  assert.match(helpOf('demo', '--help'), /\n\nA last word\.\n\nOptions:\n/)
})

test('help: no line is over 80 columns, none ends in a blank, no option is torn from its value', () => {
  for (const argv of [[], ['keys'], ...commands.map(({ name }) => name.split(' '))]) {
    const help = helpOf(...argv, '--help')
    for (const line of help.split('\n')) assert.ok(line.length <= 80 && line === line.trimEnd(), line)
    assert.doesNotMatch(help, /--permissions\n/)
  }
})
