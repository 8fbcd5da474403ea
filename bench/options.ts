// The command line of the benchmark → options, or an error that says what is wrong.
import { parseArgs } from 'node:util'
import { engines, type EngineName } from './company.ts'

export interface Options {
  readonly isQuick: boolean
  readonly engines: readonly EngineName[]
  /** Only rows whose names contain this are measured. */
  readonly only: string | undefined
  /** How long a row is measured; throughput and reading take a multiple of it. */
  readonly seconds: number
  readonly scale: number
  /** The scale of the company that the large one is compared with. */
  readonly smallScale: number
}

export const usage = 'npm run bench -- [--quick] [--engine sqlite|postgres] [--only PART] [--seconds N] [--scale N]'
const full = { scale: 50, seconds: 4 }
const quick = { scale: 2, seconds: 0.15 }
const smallScale = 0.5

export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: 'boolean', default: false },
      engine: { type: 'string' },
      only: { type: 'string' },
      seconds: { type: 'string' },
      scale: { type: 'string' },
    },
  })
  const engine = engines.find((name) => name === values.engine)
  if (values.engine !== undefined && !engine) throw new Error(`--engine is sqlite or postgres, not "${values.engine}".`)
  const usual = values.quick ? quick : full
  return {
    isQuick: values.quick,
    engines: engine ? [engine] : engines,
    only: values.only,
    seconds: readNumber('--seconds', values.seconds) ?? usual.seconds,
    scale: readNumber('--scale', values.scale) ?? usual.scale,
    smallScale,
  }
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (!(number > 0)) throw new Error(`${name} is a number above 0, not "${text}".`)
  return number
}
