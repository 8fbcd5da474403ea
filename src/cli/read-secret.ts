// A secret from whoever runs a command: typed without being shown, or the first line of what is piped in.
import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

export async function readSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) return firstLine()
  process.stderr.write(question)
  // What is typed goes nowhere.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const typed = createInterface({ input: process.stdin, output: nowhere, terminal: true })
  const stopped = new Promise<never>((_, reject) => typed.once('SIGINT', () => reject(new Error('stopped'))))
  try {
    return await Promise.race([typed.question(''), stopped])
  } finally {
    typed.close()
    process.stderr.write('\n')
  }
}

async function firstLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin.setEncoding('utf8')) text += String(chunk)
  return text.split(/\r?\n/)[0] ?? ''
}
