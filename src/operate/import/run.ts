// Imports a folder of files into the connected database: first checks everything, then writes everything or nothing.
import type { DatabaseUrl } from '../../settings/types.ts'
import { applySchema } from '../schema/apply.ts'
import { Faults, listFolder, type SourceFile } from './files.ts'
import type { Counts, ImportPlace, PlaceOptions, Staged, UsePlace, WriteOptions } from './place.ts'
import { textBlocks } from './blocks.ts'
import { csvRows } from './csv.ts'
import { ndjsonRows } from './ndjson.ts'
import { scanInput, type RowInput } from './scan.ts'

export interface ImportOptions extends WriteOptions, PlaceOptions {
  readonly deletesMissing: boolean
  readonly hasDecimalComma: boolean
  // How many faults are listed; the others are only counted.
  readonly mostFaults: number
}

interface ImportedFile extends Counts {
  readonly relation: string
  readonly file: string
  readonly read: number
}

export interface ImportResult {
  readonly database: string
  readonly relations: readonly ImportedFile[]
  readonly ignored: readonly string[]
  readonly remarks: readonly string[]
}

export async function importFolder(
  url: DatabaseUrl,
  folder: string,
  given: ImportOptions,
): Promise<ImportResult | { readonly faults: Faults }> {
  const remarks: string[] = []
  const remark = (text: string) => {
    remarks.push(text)
    given.remark(text)
  }
  const options = { ...given, remark }
  const faults = new Faults(options.mostFaults)
  const { files, ignored } = listFolder(folder, faults)
  const imported = await withPlace(url, options, async (place) => {
    const read = await stageInputs(place, fileInputs(files, options), faults, options.signal)
    if (faults.count > 0) return undefined
    const deletes = options.deletesMissing ? 'all' : 'none'
    const staged = files.map(({ relation }): Staged => ({ relation, deletes }))
    const done = await (options.isDryRun ? place.compare(staged, options) : place.write(staged, options))
    const relations = done.map(({ relation, counts }, at) => ({
      relation: relation.name,
      file: files[at]?.name ?? '',
      read: read[at] ?? 0,
      ...counts,
    }))
    return { database: place.name, relations, ignored, lacksRelations: place.lacksRelations }
  })
  if (!imported) return { faults }
  const { lacksRelations, ...result } = imported
  // Makes indexes and the journal of new relations. The rows are committed, so a failure is only a remark.
  if (lacksRelations && !options.isDryRun)
    await applySchema(url, { onProgress: options.onProgress, remark: () => {} }).catch((error: Error) =>
      remark(
        `The rows are imported, but their indexes and the journal are not complete: ${error.message} Run "vitrine schema apply".`,
      ),
    )
  return { ...result, remarks }
}

// Stages the rows of all inputs. Returns the number of rows of each.
export async function stageInputs(
  place: ImportPlace,
  inputs: readonly RowInput[],
  faults: Faults,
  signal: AbortSignal,
): Promise<number[]> {
  const read = []
  for (const input of inputs) {
    const { relation } = input
    const problem = place.problemOf(relation)
    if (problem !== undefined) {
      faults.add(input.name, null, null, problem)
      continue
    }
    const stage = await place.stageFor(relation)
    const [limits, present] = [place.limitsOf(relation), place.columnsOf(relation)]
    read.push(await scanInput(input, { isExact: place.engine === 'postgres', limits, present, stage, faults, signal }))
  }
  return read
}

function fileInputs(
  files: readonly SourceFile[],
  { hasDecimalComma, onProgress }: Pick<ImportOptions, 'hasDecimalComma' | 'onProgress'>,
): RowInput[] {
  const total = toKilobytes(files.reduce((sum, { bytes }) => sum + bytes, 0))
  let bytes = 0
  const onBytes = (count: number) => {
    bytes += count
    onProgress({ what: 'checking (kB)', done: Math.min(total, toKilobytes(bytes)), total })
  }
  return files.map((file) => ({
    name: file.name,
    relation: file.relation,
    hasDecimalComma: file.format === 'csv' && hasDecimalComma,
    async *read(columns, sink, signal) {
      const parser = (file.format === 'csv' ? csvRows : ndjsonRows)(columns, sink)
      const onFault = (line: number | null, message: string) => sink.fault(line, null, message)
      for await (const { text, isLast } of textBlocks(file, { onBytes, onFault, signal })) {
        parser(text, isLast)
        yield
      }
    },
  }))
}

const toKilobytes = (bytes: number) => Math.ceil(bytes / 1000)

export async function withPlace<Result>(
  url: DatabaseUrl,
  options: PlaceOptions,
  use: UsePlace<Result>,
): Promise<Result> {
  if (url.kind === 'sqlite') return (await import('./place-sqlite.ts')).withFile(url.path, options, use)
  return (await import('./place-postgres.ts')).withSchema(url, options, use)
}
