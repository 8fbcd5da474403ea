// What somebody has typed or chosen, kept while the view around it is written anew in another language. (A list that is filtered
// is shown anew, unfiltered.)

const fields = (place: HTMLElement) =>
  [...place.querySelectorAll<HTMLInputElement | HTMLSelectElement>('form:not([role=search]) :is(input, select)')].map(
    (field) => ({
      field,
      // A choice is known by its value; what is typed is the value.
      name: isChoice(field) ? `${field.name} ${field.value}` : `${field.name} ${field.id}`,
    }),
  )

const isChoice = (field: Element): field is HTMLInputElement =>
  field instanceof HTMLInputElement && (field.type === 'checkbox' || field.type === 'radio')

export function keepTyped(before: HTMLElement): (after: HTMLElement) => void {
  const typed = new Map(
    fields(before).map(({ field, name }) => [name, isChoice(field) ? field.checked : field.value] as const),
  )
  return (after) => {
    for (const { field, name } of fields(after)) {
      const value = typed.get(name)
      if (typeof value === 'string') field.value = value
      else if (value !== undefined && isChoice(field)) field.checked = value
    }
    for (const form of after.querySelectorAll('form')) form.dispatchEvent(new Event('change'))
  }
}
