// A short message at the foot of the page, which screen readers announce. It ends with the view that it is about.
import { signal } from '@preact/signals'

export const told = signal('')
const shownMs = 6000
let hiding: ReturnType<typeof setTimeout> | undefined

export function tell(text: string) {
  told.value = text
  clearTimeout(hiding)
  hiding = setTimeout(() => (told.value = ''), shownMs)
}
