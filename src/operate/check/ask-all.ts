// Asks one question after the other, of those whose ground is there. What takes too long is told of and left; a relation that
// took too long twice, or refused, is not asked again.
import { eachWithProgress, type OnProgress } from '../progress.ts'
import type { Finding } from './finding.ts'
import type { Question } from './question.ts'
import type { Shape } from './shape.ts'
import { Late, Refused, type Source } from './source.ts'
import { refusal } from './structure.ts'

const mostLate = 2

export async function askAll(
  questions: readonly Question[],
  source: Source,
  shape: Shape,
  onProgress: OnProgress,
): Promise<Finding[]> {
  const findings: Finding[] = []
  const refused = new Set<string>()
  // By the relation, the names of the questions that were not answered.
  const late = new Map<string, string[]>()
  const hasGround = ({ needs }: Question) =>
    Object.entries(needs).every(([relation, columns]) => {
      const known = shape.relations.get(relation)?.columns
      const isGood = (name: string) => known?.get(name)?.isReadable === true && known.get(name)?.isRight === true
      return !refused.has(relation) && columns.every(isGood)
    })
  await eachWithProgress('questions', questions.filter(hasGround), onProgress, async (question) => {
    const { name, relation = '' } = question
    if (!hasGround(question)) return
    const lateHere = late.get(relation) ?? []
    if (question.isLong && relation && lateHere.length >= mostLate) return void lateHere.push(name)
    try {
      findings.push(...(await question.ask(source)))
    } catch (error) {
      if (error instanceof Late) late.set(relation, [...lateHere, name])
      else if (error instanceof Refused && relation) {
        refused.add(relation)
        findings.push(refusal(relation, error.message))
      } else if (error instanceof Refused) findings.push(notAsked(name, error.message))
      else if (source.isOpen()) findings.push(couldNotBeAsked(question, error))
      else throw error
    }
  })
  return [...findings, ...[...late].map(([relation, names]) => notAnswered(relation, names, source.timeoutMs))]
}

const notAnswered = (relation: string, names: readonly string[], timeoutMs: number): Finding => ({
  code: 'not_answered',
  ...(relation ? { relation } : {}),
  count: names.length,
  message: `Not answered within ${timeoutMs / 1000} s, so nobody knows: ${names.join(', ')}.`,
  remedy: 'Give it longer, at an hour when the tills rest: vitrine check --timeout 60',
})

// A defect of ours, in one question: the others are worth their answers.
const couldNotBeAsked = ({ name, relation }: Question, error: unknown): Finding => ({
  code: 'not_answered',
  ...(relation === undefined ? {} : { relation }),
  count: 1,
  message: `Not known, because it could not be asked: ${name} (${error instanceof Error ? error.message : String(error)}).`,
  remedy: 'This is a defect of "vitrine check": please report it with this sentence. All the rest was asked.',
})

// What the server's catalogue tells to others, and not to this role.
const notAsked = (name: string, said: string): Finding => ({
  code: 'not_answered',
  count: 1,
  message: `Not known, because the database refuses: ${name} (${said.replace(/\.$/, '')}).`,
  remedy: 'Nothing, if the rest is in order.',
})
