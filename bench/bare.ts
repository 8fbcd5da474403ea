// The limit of the machine: a bare `node:https` server, in its own process. It answers from memory, with bytes and headers
// recorded from the service.
import { once } from 'node:events'
import { Agent, createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ask, type Answer, type Place } from './ask.ts'
import { answerParent, startChild } from './child.ts'

export interface Recording {
  readonly from: Place
  readonly token: string
  readonly paths: readonly string[]
  readonly cert: string
  readonly key: string
}

/** The answer to a recording is the port of the server. */
export const startBare = (niceness: number) => startChild<Recording, number>(new URL(import.meta.url), niceness)

const callers = 4
// Headers that Node.js writes itself for each answer.
const own = new Set(['date', 'connection', 'keep-alive'])

async function serve({ from, token, paths, cert, key }: Recording): Promise<number> {
  const answers = await record(from, token, paths)
  const server = createServer({ cert, key }, (request, response) => {
    const answer = answers.get(request.url ?? '')
    if (!answer) return response.writeHead(404).end()
    response.writeHead(200, answer.headers)
    response.end(answer.body)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return (server.address() as AddressInfo).port
}

async function record(from: Place, token: string, paths: readonly string[]): Promise<Map<string, Answer>> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  const answers = new Map<string, Answer>()
  const missing = [...new Set(paths)]
  const caller = async () => {
    for (let path = missing.pop(); path !== undefined; path = missing.pop()) {
      const { headers, body } = await ask(from, path, { token, agent })
      const kept = Object.entries(headers).filter(([name]) => !own.has(name))
      answers.set(path, { headers: Object.fromEntries(kept), body })
    }
  }
  await Promise.all(Array.from({ length: callers }, caller))
  agent.destroy()
  return answers
}

if (import.meta.main) answerParent(serve)
