// What is wrong with the files, collected over all of them: the first so many are told, the others counted.

interface ImportFault {
  readonly file: string
  // Of the file, from 1; null where it is the file itself.
  readonly line: number | null
  readonly column: string | null
  readonly message: string
}

export class Faults {
  readonly first: ImportFault[] = []
  count = 0
  readonly most: number

  constructor(most: number) {
    this.most = most
  }

  add(file: string, line: number | null, column: string | null, message: string): void {
    this.count += 1
    if (this.first.length < this.most) this.first.push({ file, line, column, message })
  }

  // Of which only the number is known.
  addOthers(count: number): void {
    this.count += count
  }

  get room(): number {
    return this.most - this.first.length
  }
}

export const faultText = ({ file, line, column, message }: ImportFault): string =>
  [line === null ? file : `${file}:${line}`, ...(column === null ? [] : [column]), message].join(': ')
