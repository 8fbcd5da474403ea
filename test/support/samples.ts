// The code in the guides for integrators: each block with its guide, its language and the name of its file, where it
// begins with one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { guideFolder, guideNames } from '../../src/web/docs/guides.ts'

export interface Sample {
  readonly guide: string
  readonly language: string
  readonly file: string | undefined
  readonly code: string
}

export const samples: readonly Sample[] = guideNames.flatMap((guide) => {
  const markdown = readFileSync(join(guideFolder, `${guide}.md`), 'utf8')
  return [...markdown.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    guide,
    language,
    file: /^(?:<\?php\n)?(?:\/\/|#) ([\w-]+\.\w+)\n/.exec(code)?.[1],
    code,
  }))
})

export function sampleFile(name: string): Sample {
  const found = samples.find(({ file }) => file === name)
  if (!found) throw new Error(`no guide has ${name}`)
  return found
}
