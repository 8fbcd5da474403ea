// Finds elements that the page is known to have.

export function one<Kind extends Element>(selector: string, kind: new () => Kind, within: ParentNode = document): Kind {
  const found = within.querySelector(selector)
  if (!(found instanceof kind)) throw new Error(`the page has no ${selector}`)
  return found
}

export const element = (selector: string, within: ParentNode = document): HTMLElement =>
  one(selector, HTMLElement, within)

// Listens on the document, for elements that are or will be in the page.
export function onEvery<Name extends keyof DocumentEventMap>(
  name: Name,
  selector: string,
  listener: (found: HTMLElement, event: DocumentEventMap[Name]) => void,
) {
  document.addEventListener(name, (event) => {
    const found = event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null
    if (found) listener(found, event)
  })
}
