// What the browser keeps for this origin alone, where cookies go to every port of a machine.

// '' where there is nothing, or where nothing may be kept.
export function readKept(name: string): string {
  try {
    return localStorage.getItem(name) ?? ''
  } catch {
    return ''
  }
}

export function keep(name: string, value: string): void {
  try {
    if (value === '') localStorage.removeItem(name)
    else localStorage.setItem(name, value)
  } catch {
    // Then it is gone with the page.
  }
}
