// The guides for integrators (docs/integrate), in reading order.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { writeMarkdown, type WrittenGuide } from './markdown.ts'

export const guideFolder = join(import.meta.dirname, '..', '..', '..', 'docs', 'integrate')

export const guideNames = [
  'first-call',
  'authentication',
  'paging',
  'changes',
  'synchronising',
  'recipes',
  'excel',
  'errors',
  'limits',
  'restrictions',
] as const

export interface Guide extends WrittenGuide {
  readonly name: string
}

export const readGuides = (): Guide[] =>
  guideNames.map((name) => ({ name, ...writeMarkdown(readFileSync(join(guideFolder, `${name}.md`), 'utf8'), name) }))
