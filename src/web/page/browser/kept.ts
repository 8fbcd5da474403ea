// Local storage, which belongs to this origin only; cookies go to every port of a machine.

// '' if there is no value, or no storage.
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
    // Without storage, the value is lost with the page.
  }
}
