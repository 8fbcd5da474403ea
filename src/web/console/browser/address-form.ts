// A form of filters: what is typed goes to the address when the form is sent, and what the address says is in the form.
import { useEffect, useState } from 'preact/hooks'
import { addressWith, go, useQuery } from './router.tsx'

type Typed = Readonly<Record<string, string>>

export function useAddressForm(names: readonly string[]) {
  const query = useQuery()
  const asked: Typed = Object.fromEntries(names.map((name) => [name, query.get(name) ?? '']))
  const [typed, setTyped] = useState(asked)
  useEffect(() => setTyped(asked), [String(query)])
  const apply = (event: Event, values: Typed) => {
    event.preventDefault()
    go(addressWith(values))
  }
  return {
    typed,
    input: (name: string) => ({
      id: name,
      value: typed[name] ?? '',
      onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLSelectElement }) =>
        setTyped((before) => ({ ...before, [name]: currentTarget.value })),
    }),
    // With these changes of the address besides.
    submit: (event: Event, besides: Typed = {}) => apply(event, { ...typed, ...besides }),
    clear: (event: Event) => apply(event, Object.fromEntries(names.map((name) => [name, '']))),
  }
}
