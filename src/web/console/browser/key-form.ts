// One form for a new key and for changes: plain questions, with each fault beside its question.
import { element, one } from '../../page/browser/dom.ts'
import { html, type Html } from '../../page/browser/html.ts'
import { ask, get, Refusal, sentence, sentencesOf } from './ask.ts'
import type { Choices, Key } from './data.ts'
import { faultPlace, hint, line, readDay, readList } from './form-lines.ts'
import { keepCode } from './key-code.ts'
import { keyPageView } from './key-page.ts'
import { additions, opens, readChoices } from './key-words.ts'
import { t } from './language.ts'
import { asText, atWork, permissionName, permissionNote, tell } from './parts.ts'
import { go, type View } from './router.ts'

const groups = {
  goods: ['products:read', 'vendors:read', 'reference:read'],
  sales: ['quotes:read', 'sales-orders:read', 'invoices:read', 'credit-memos:read', 'payments:read'],
  stock: ['purchase-orders:read', 'receivings:read', 'transfers:read', 'adjustments:read'],
  people: ['customers:read'],
} as const

type Shown = Pick<Key, 'name' | 'permissions' | 'stores' | 'price_list' | 'rate' | 'expires' | 'addresses'>

const blank: Shown = {
  name: '',
  permissions: [],
  stores: null,
  price_list: null,
  rate: 60,
  expires: null,
  addresses: null,
}

export async function keyFormView(id?: string): Promise<View> {
  const [choices, key] = await Promise.all([
    readChoices(),
    id === undefined ? null : get<{ data: Key }>(`/api/keys/${encodeURIComponent(id)}`).then(({ data }) => data),
  ])
  if (key?.state === 'revoked') return keyPageView(key.client_id)
  const title = key ? t.form.edit(key.name) : t.form.create
  return {
    title,
    html: html`<h1>${title}</h1>
      ${choices.isUnread && html`<p class="warning">${t.form.unread}</p>`}
      ${formHtml(key ?? blank, choices, key !== null)}`,
    ready: (main) => watch(one('form', HTMLFormElement, main), key),
  }
}

const checked = html`checked`

const box = (name: string, label: string, note: string, isChecked: boolean, group = 'permission'): Html =>
  html`<label class="choice"
    ><input type="checkbox" name="${group}" value="${name}" ${isChecked && checked} /><span
      ><strong>${label}</strong>${note !== '' && html`<span class="note">${note}</span>`}</span
    ></label
  > `

const question = (name: string, text: string, note: string, body: Html): Html =>
  html`<fieldset id="${name}" class="question" aria-describedby="${name}-note ${name}-fault">
    <legend>${text}</legend>
    ${hint(name, note)}${faultPlace(name)}${body}
  </fieldset>`

function formHtml(key: Shown, choices: Choices, isEdit: boolean): Html {
  const has = (name: string) => key.permissions.includes(name)
  const own = opens(key)
  return html`<form class="key-form" novalidate autocomplete="off">
    <div class="faults" role="alert" tabindex="-1"></div>
    ${line('name', t.form.name, t.form.nameNote, html`type="text" maxlength="100" required value="${key.name}"`)}
    ${question(
      'permissions',
      t.form.reads,
      t.form.readsNote,
      html`<p class="all-none">
          <button type="button" class="link" data-all="true">${t.page.all}</button>
          <button type="button" class="link" data-all="false">${t.page.none}</button>
        </p>
        <div class="groups">
          ${Object.entries(groups).map(
            ([name, members]) =>
              html`<div role="group" aria-labelledby="group-${name}">
                <p class="group" id="group-${name}">${t.form.groups[name as keyof typeof groups]}</p>
                ${members.map((each) => box(each, permissionName(each), permissionNote(each), own.includes(each)))}
              </div>`,
          )}
        </div>`,
    )}
    <fieldset class="question">
      <legend>${t.form.extras}</legend>
      ${box('costs:read', t.form.costs, t.form.costsNote, has('costs:read'))}
      ${box('customers:financial', t.form.balances, t.form.balancesNote, has('customers:financial'))}
    </fieldset>
    ${question('stores', t.form.stores, t.form.storesNone, storesHtml(key, choices))}
    <div class="question">
      <label class="legend" for="price_list">${t.form.prices}</label
      >${hint('price_list', t.form.pricesNote)}${faultPlace('price_list')}
      <select id="price_list" name="price_list" aria-describedby="price_list-note price_list-fault">
        <option value="">${t.form.pricesAll}</option>
        ${withKept(choices.price_lists, key.price_list === null ? [] : [key.price_list]).map(
          ({ id, name }) =>
            html`<option value="${id}" ${id === key.price_list && html`selected`}>
              ${t.form.pricesOne(name ?? t.keys.list(String(id)))}
            </option>`,
        )}
      </select>
    </div>
    ${line('rate', t.form.rate, t.form.rateNote, html`type="text" inputmode="numeric" value="${key.rate}"`)}
    ${line('expires', t.form.expires, t.form.expiresNote, html`type="date" value="${key.expires ?? ''}"`)}
    ${line(
      'addresses',
      t.form.addresses,
      t.form.addressesNote,
      html`type="text" spellcheck="false" value="${key.addresses?.join(', ') ?? ''}"`,
    )}
    <p class="buttons">
      <button type="button" class="cancel">${t.page.cancel}</button>
      <button type="submit" class="primary">${isEdit ? t.form.submitEdit : t.form.submitNew}</button>
    </p>
  </form>`
}

// A store or price list of the key can still be chosen when it is no longer in the database.
const withKept = (all: Choices['stores'], ids: readonly number[]) => [
  ...all,
  ...ids.filter((id) => !all.some((each) => each.id === id)).map((id) => ({ id, name: null })),
]

const radio = (value: string, text: string, isChecked: boolean) =>
  html`<label class="choice"
    ><input type="radio" name="which-stores" value="${value}" ${isChecked && checked} /><span>${text}</span></label
  > `

function storesHtml({ stores }: Shown, choices: Choices): Html {
  const all = withKept(choices.stores, stores ?? [])
  return html`${radio('all', t.form.storesAll, stores === null)}${radio('some', t.form.storesSome, stores !== null)}
    <div class="stores" ${stores === null && html`hidden`}>
      ${all.length === 0 ? !choices.isUnread && html`<p>${t.form.noStores}</p>` : all.map(({ id, name }) => box(String(id), name ?? t.keys.store(String(id)), '', stores?.includes(id) ?? false, 'store'))}
    </div>`
}

function readForm(form: HTMLFormElement) {
  const data = new FormData(form)
  const stores = data.getAll('store').map(Number)
  const list = asText(data.get('price_list'))
  const typed = asText(data.get('rate')).trim()
  // 1,000 and 1 000 as people write them.
  const rate = /^\d{1,3}(?:[.,\s]\d{3})+$/.test(typed) ? typed.replaceAll(/\D/g, '') : typed
  return {
    name: asText(data.get('name')),
    permissions: data.getAll('permission').map(asText),
    stores: data.get('which-stores') === 'all' ? null : stores.toSorted((one, other) => one - other),
    price_list: list === '' ? null : Number(list),
    // If it is not a number, send what was typed: the fault quotes it.
    rate: /^\d{1,15}$/.test(rate) ? Number(rate) : typed,
    expires: readDay(one('#expires', HTMLInputElement, form)),
    addresses: readList(asText(data.get('addresses'))),
  }
}

function watch(form: HTMLFormElement, key: Key | null) {
  const submit = one('[type=submit]', HTMLButtonElement, form)
  const leave = () => go(key ? `keys/${key.client_id}` : 'keys')
  form.addEventListener('change', () => {
    element('.stores', form).hidden = readForm(form).stores === null
  })
  form.addEventListener('click', (event) => {
    const pressed = event.target instanceof Element ? event.target.closest('button') : null
    if (pressed?.matches('.cancel')) leave()
    if (!pressed?.dataset['all']) return
    for (const each of form.querySelectorAll<HTMLInputElement>('#permissions [type=checkbox]'))
      each.checked = pressed.dataset['all'] === 'true'
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    clearFaults(form)
    const work = () => (key ? change(key, form) : create(form))
    void atWork(submit, work).catch((error: unknown) => showFaults(form, error, key))
  })
  if (!key) one('#name', HTMLInputElement, form).focus()
}

async function create(form: HTMLFormElement) {
  const values = readWhole(form)
  const made = await ask<{ data: Key; client_secret: string }>('POST', '/api/keys', values)
  keepCode(made.data, made.client_secret, 'made')
  go(`keys/${made.data.client_id}/code`)
}

// A key needs a permission that opens a resource. A missing name is reported together with that.
type Whole = ReturnType<typeof readForm>

function readWhole(form: HTMLFormElement, held: readonly string[] = []): Whole {
  const boxes = new Set([...form.querySelectorAll<HTMLInputElement>('[name=permission]')].map(({ value }) => value))
  const read = readForm(form)
  // Permissions without a checkbox are kept.
  const values = { ...read, permissions: [...read.permissions, ...held.filter((name) => !boxes.has(name))] }
  if (values.permissions.every((name) => additions.includes(name)))
    throw new Refusal(400, [{ code: 'permissions_missing', values: {}, sentence: '' }, ...missingName(values.name)])
  return values
}

const missingName = (name: string) => (name.trim() === '' ? [{ code: 'name_missing', values: {}, sentence: '' }] : [])

// Sends only changed fields, with the values that were shown, so that another administrator's change is not overwritten.
async function change(key: Key, form: HTMLFormElement) {
  const { name, permissions, stores, price_list: list, rate, expires, addresses } = key
  const shown: Readonly<Record<string, unknown>> = {
    name,
    permissions,
    stores,
    price_list: list,
    rate,
    expires,
    addresses,
  }
  const values: Readonly<Record<string, unknown>> = inOrder(readWhole(form, permissions), key)
  const changed = Object.entries(values).filter(
    ([each, value]) => JSON.stringify(value) !== JSON.stringify(shown[each]),
  )
  if (changed.length === 0) tell(t.form.unchanged)
  else {
    await ask('PATCH', `/api/keys/${encodeURIComponent(key.client_id)}`, { ...Object.fromEntries(changed), shown })
    tell(t.form.saved)
  }
  go(`keys/${key.client_id}`)
}

// Equal permissions get the order of the service, so that they do not count as a change.
const inOrder = (values: Whole, { permissions }: Key) =>
  [...values.permissions].toSorted().join() === [...permissions].toSorted().join() ? { ...values, permissions } : values

const placeOf = (code: string): string | undefined =>
  ['name', 'permission', 'stores', 'price_list', 'rate', 'expires', 'addresses']
    .find((each) => code.startsWith(each))
    ?.replace(/^permission$/, 'permissions')

function clearFaults(form: HTMLFormElement) {
  element('.faults', form).textContent = ''
  for (const each of form.querySelectorAll('.fault')) each.textContent = ''
  for (const each of form.querySelectorAll('[aria-invalid]')) each.removeAttribute('aria-invalid')
}

function showFaults(form: HTMLFormElement, error: unknown, key: Key | null) {
  // An error in the page belongs to no field.
  const faults = error instanceof Refusal ? error.faults : []
  for (const fault of faults) {
    const place = placeOf(fault.code)
    const shown = place && form.querySelector(`#${place}-fault`)
    if (!shown) continue
    shown.textContent = sentence(fault)
    form.querySelector(`#${place}`)?.setAttribute('aria-invalid', 'true')
  }
  const isMeanwhile = faults.some(({ code }) => code === 'changed_meanwhile' || code === 'key_revoked')
  const summary = element('.faults', form)
  summary.innerHTML = html`<p>${t.form.faults}</p>
    <ul>
      ${sentencesOf(error).map((each) => html`<li>${each}</li>`)}
    </ul>
    ${isMeanwhile && key !== null && html`<p><a href="#keys/${key.client_id}">${t.form.reload}</a></p>`}`.text
  summary.focus()
  summary.scrollIntoView({ block: 'center' })
}
