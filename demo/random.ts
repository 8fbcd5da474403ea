// The demo company's own chance: a small generator (sfc32) that gives the same numbers on every machine for one seed.
// Each part of the company draws from a stream of its own, so that a change in one part does not shuffle the others.

export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1
  readonly #seed: number

  constructor(seed: number, stream = '') {
    let mixed = seed | 0
    for (let at = 0; at < stream.length; at += 1) mixed = Math.imul(mixed ^ stream.charCodeAt(at), 0x01000193)
    this.#seed = seed
    this.#a = mixed
    this.#b = Math.trunc(seed / 2 ** 32) | 0
    this.#c = 0x9e3779b9 | 0
    // The first numbers of sfc32 still show the seed.
    for (let round = 0; round < 15; round += 1) this.next()
  }

  stream(name: string): Random {
    return new Random(this.#seed, name)
  }

  // A whole number from 0 to 2^32 - 1.
  next(): number {
    const sum = (this.#a + this.#b + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  below(limit: number): number {
    return Math.floor((this.next() / 2 ** 32) * limit)
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1)
  }

  chance(percent: number): boolean {
    return this.next() < percent * 42_949_672.96
  }

  pick<Item>(list: readonly Item[]): Item {
    return list[this.below(list.length)] as Item
  }

  // Early items far more often than late ones: what sells, who buys.
  pickSkewed<Item>(list: readonly Item[]): Item {
    const share = this.next() / 2 ** 32
    return list[Math.floor(share * share * list.length)] as Item
  }

  // The position of one of the weights, each as likely as its part of their sum.
  weighted(weights: readonly number[]): number {
    let sum = 0
    for (const weight of weights) sum += weight
    let left = this.below(sum)
    for (let at = 0; at < weights.length; at += 1) {
      left -= weights[at] ?? 0
      if (left < 0) return at
    }
    return weights.length - 1
  }

  shuffle<Item>(list: Item[]): Item[] {
    for (let at = list.length - 1; at > 0; at -= 1) {
      const other = this.below(at + 1)
      const held = list[at] as Item
      list[at] = list[other] as Item
      list[other] = held
    }
    return list
  }
}
