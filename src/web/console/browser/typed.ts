// Keeps typed and chosen values while the view is drawn again in another language. (Filters of a list are reset.)

const fields = (place: HTMLElement) =>
  [...place.querySelectorAll<HTMLInputElement | HTMLSelectElement>('form:not([role=search]) :is(input, select)')].map(
    (field) => ({
      field,
      // A choice is identified by its value, a text field by its id.
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
