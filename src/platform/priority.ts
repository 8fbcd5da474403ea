// Lets other programs of the machine, such as tills and their database, come first.
import { constants, setPriority } from 'node:os'

// Threads inherit the priority, so this runs before any is started.
export function lowerPriority(): void {
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // Not allowed here: the program runs at normal priority.
  }
}
