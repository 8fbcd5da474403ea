// What will happen when. The company's story is told day by day, and a document decides its own future when it is
// written (paid in thirty days, delivered next week), so that its row is final at once and nothing is held in memory.
import { busyness, DAY, DAYS, LAST_MOMENT } from './calendar.ts'

export interface Task {
  readonly moment: number
  run(moment: number): void
}

export class Agenda {
  readonly #days: Task[][] = Array.from({ length: DAYS }, () => [])
  readonly #planned: number
  readonly #goals: number[]
  #promised = 0
  #done = 0

  constructor(planned: number) {
    this.#planned = planned
    let sum = 0
    const sums = Array.from({ length: DAYS }, (_, day) => (sum += busyness(day)))
    this.#goals = sums.map((each) => Math.floor((planned * each) / sum))
  }

  // One task is one document. False when it would come after the last day, or when the company has all its documents:
  // then it does not happen, and whoever asked leaves things as they are.
  schedule(moment: number, run: (moment: number) => void): boolean {
    if (moment > LAST_MOMENT || this.#promised >= this.#planned) return false
    this.#promised += 1
    this.#days[Math.floor(moment / DAY)]?.push({ moment, run })
    return true
  }

  // How many documents of a day nobody has arranged yet.
  freeTasks(day: number): number {
    const room = this.#planned - this.#promised
    if (day === DAYS - 1) return room
    const due = this.#days[day]?.length ?? 0
    return Math.max(0, Math.min(room, (this.#goals[day] ?? 0) - this.#done - due))
  }

  takeDay(day: number): Task[] {
    const tasks = this.#days[day] ?? []
    this.#days[day] = []
    this.#done += tasks.length
    return tasks.toSorted((one, other) => one.moment - other.moment)
  }
}
