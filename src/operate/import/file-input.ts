// A file → the rows of a relation, block by block.
import { textBlocks } from './blocks.ts'
import { csvRows } from './csv.ts'
import type { SourceFile } from './files.ts'
import { ndjsonRows } from './ndjson.ts'
import type { RowInput } from './scan.ts'

interface FileOptions {
  readonly hasDecimalComma: boolean
  readonly onBytes: (count: number) => void
}

export function fileInput(file: SourceFile, { hasDecimalComma, onBytes }: FileOptions): RowInput {
  const isCsv = file.format === 'csv'
  return {
    name: file.name,
    relation: file.relation,
    hasDecimalComma: isCsv && hasDecimalComma,
    async *read(columns, sink, signal) {
      const parser = isCsv ? csvRows(columns, sink) : ndjsonRows(columns, sink)
      const onFault = (line: number | null, message: string) => sink.fault(line, null, message)
      for await (const { text, isLast } of textBlocks(file, { onBytes, onFault, signal })) {
        parser.feed(text, isLast)
        yield
      }
    },
  }
}
