// The views of keys: the list, one key, the form, the preview, and the security code.
import { codeView } from './key-code.ts'
import { keyFormView } from './key-form.ts'
import { keyLookView } from './key-look.ts'
import { keyPageView } from './key-page.ts'
import { keysListView } from './keys-list.ts'
import type { MakeView } from './router.ts'

export const keysView: MakeView = (subject, part) => {
  if (subject === '') return keysListView()
  if (subject === 'new') return keyFormView()
  if (part === 'edit') return keyFormView(subject)
  if (part === 'look') return keyLookView(subject)
  if (part === 'code') return codeView(subject)
  return keyPageView(subject)
}
