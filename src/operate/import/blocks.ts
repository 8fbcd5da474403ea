// Reads a file as text, in blocks of whole lines, so that memory holds at most a block and a line. A wrong encoding is
// reported once for each file.
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import type { SourceFile } from './files.ts'

const blockBytes = 1 << 20
// A longer record is a quote that was never closed.
export const longestRecord = 4 << 20

const newline = 10

export interface Block {
  readonly text: string
  readonly isLast: boolean
}

interface BlockOptions {
  readonly onBytes: (count: number) => void
  readonly onFault: (line: number | null, message: string) => void
  readonly signal: AbortSignal
}

export async function* textBlocks(file: SourceFile, { onBytes, onFault, signal }: BlockOptions): AsyncGenerator<Block> {
  let rest: Buffer = Buffer.alloc(0)
  let line = 1
  let isFirst = true
  let isSkipping = false
  let isText = true
  const decode = (bytes: Buffer): string => {
    if (isText && !isUtf8(bytes)) {
      isText = false
      onFault(line + linesBefore(bytes), encodingMessage)
    }
    const text = bytes.toString('utf8')
    line += countLines(text, 0, text.length)
    return text
  }
  try {
    for await (const chunk of openFile(file, onBytes, signal) as AsyncIterable<Buffer>) {
      let bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
      // The first bytes show the file type.
      if (isFirst && bytes.length < 4) {
        rest = bytes
        continue
      }
      if (isFirst) {
        const wrong = beginningProblem(bytes)
        if (wrong) return onFault(null, wrong)
        bytes = withoutMark(bytes)
        isFirst = false
      }
      if (isSkipping) {
        const end = bytes.indexOf(newline)
        isSkipping = end < 0
        bytes = end < 0 ? Buffer.alloc(0) : bytes.subarray(end)
      }
      const end = bytes.lastIndexOf(newline) + 1
      rest = bytes.subarray(end)
      if (end > 0) yield { text: decode(bytes.subarray(0, end)), isLast: false }
      if (rest.length > longestRecord) {
        onFault(line, `The line is longer than ${longestRecord} bytes.`)
        rest = Buffer.alloc(0)
        // The rest of the line counts as an empty line.
        isSkipping = true
      }
    }
  } catch (error) {
    signal.throwIfAborted()
    return onFault(null, readProblem(error))
  }
  if (isFirst) {
    const wrong = beginningProblem(rest)
    if (wrong) return onFault(null, wrong)
  }
  yield { text: decode(isFirst ? withoutMark(rest) : rest), isLast: true }
}

function openFile({ path, isGzip }: SourceFile, onBytes: (count: number) => void, signal: AbortSignal): Readable {
  const file = createReadStream(path, { highWaterMark: blockBytes, signal })
  file.on('data', (chunk) => onBytes(chunk.length))
  // The reader of the last stream reports failures of both.
  return isGzip ? pipeline(file, createGunzip({ chunkSize: blockBytes }), () => {}) : file
}

const startsWith = (bytes: Buffer, ...beginning: number[]) => beginning.every((byte, at) => bytes[at] === byte)

const withoutMark = (bytes: Buffer) => (startsWith(bytes, 0xef, 0xbb, 0xbf) ? bytes.subarray(3) : bytes)

function beginningProblem(bytes: Buffer): string | undefined {
  if (startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff))
    return 'The text is UTF-16; expected UTF-8 (in Excel: "CSV UTF-8").'
  if (startsWith(bytes, 0x1f, 0x8b)) return 'The file is compressed; expected a name that ends with .gz.'
  if (startsWith(bytes, 0x50, 0x4b, 0x03, 0x04)) return 'The file is a workbook or a ZIP archive; expected text.'
  return undefined
}

const encodingMessage = 'The text is not UTF-8 from this line on; expected UTF-8 (in Excel: "CSV UTF-8").'

function readProblem(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'Z_BUF_ERROR') return 'The file ends too early: it was not copied whole.'
  if (code?.startsWith('Z_')) return `The file cannot be decompressed; expected gzip (${message}).`
  if (code === 'EACCES' || code === 'EPERM') return 'There is no permission to read the file.'
  if (code === 'EISDIR') return 'Expected a file, found a folder.'
  return `The file cannot be read: ${message}.`
}

export function countLines(text: string, from: number, end: number): number {
  let count = 0
  for (let at = text.indexOf('\n', from); at >= 0 && at < end; at = text.indexOf('\n', at + 1)) count += 1
  return count
}

// The number of lines before the first that is not UTF-8.
function linesBefore(bytes: Buffer): number {
  let [from, lines] = [0, 0]
  for (;;) {
    const end = bytes.indexOf(newline, from) + 1
    if (end === 0 || !isUtf8(bytes.subarray(from, end))) return lines
    from = end
    lines += 1
  }
}
