// The views of keys: the list, one key, the form, the preview, and the security code.
import { codeView } from './key-code.tsx'
import { keyFormView } from './key-form.tsx'
import { keyLookView } from './key-look.tsx'
import { keyPageView } from './key-page.tsx'
import { keysListView } from './keys-list.tsx'
import type { MakeView } from './router.tsx'

export const keysView: MakeView = ({ subject, part, query }) => {
  if (subject === '') return keysListView()
  if (subject === 'new') return keyFormView(undefined, query.get('from') ?? undefined)
  if (part === 'edit') return keyFormView(subject)
  if (part === 'look') return keyLookView(subject)
  if (part === 'code') return codeView(subject)
  return keyPageView(subject)
}
