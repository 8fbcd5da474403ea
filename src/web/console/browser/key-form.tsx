// One form for a new key and for changes: plain questions, with each fault beside its question.
import { isGate } from '../../../catalogue/access.ts'
import { ask, get, mayChange, words } from './ask.ts'
import type { Key, NewCode, ShownKey } from '../answers.ts'
import { Input, useForm } from './form.tsx'
import { keepCode } from './key-actions.tsx'
import { Choice, Question, Stores, toggled, valuesOf, withKept, type Values } from './key-fields.tsx'
import { keyPageView } from './key-page.tsx'
import { keyAddress, readChoices, type KnownChoices } from './key-words.ts'
import { fill, language, t } from './language.ts'
import { Button, Faults, LinkButton, permissionName } from './parts.tsx'
import { go, type Draw } from './router.tsx'

const blank = valuesOf({
  name: '',
  permissions: [],
  stores: null,
  price_list: null,
  rate: 60,
  expires: null,
  addresses: null,
})

const readKey = async (id: string) => (await get<ShownKey>(`/api/keys/${encodeURIComponent(id)}`)).data

// Changes the key `id`, or makes a new one with its values.
export async function keyFormView(id: string | null, isNew: boolean): Promise<Draw> {
  if (!mayChange())
    return () => ({
      title: isNew ? t.keys.create : t.key.edit,
      lead: t.accounts.roleMeans.viewer,
      back: ['#keys', t.nav.keys],
    })
  const [choices, key] = await Promise.all([readChoices(), id === null ? null : readKey(id)])
  if (key?.state === 'revoked' && !isNew) return keyPageView(key.client_id)
  return () => ({
    title: key && !isNew ? fill(t.form.edit, { name: key.name }) : t.keys.create,
    body: <KeyForm choices={choices} of={key} isNew={isNew} />,
  })
}

function KeyForm({ choices, of: key, isNew }: { choices: KnownChoices; of: Key | null; isNew: boolean }) {
  const edited = isNew ? null : key
  const initial = key
    ? { ...valuesOf(key), ...(isNew ? { name: fill(t.form.copyOf, { name: key.name }) } : {}) }
    : blank
  const send = (values: Values) => (edited ? change(edited, values) : create(values))
  const form = useForm(initial, send, { focus: 'list' })
  const { values, faults } = form
  const isMeanwhile = faults.some(({ code }) => code === 'changed_meanwhile' || code === 'key_revoked')
  const [own, submitText] = edited ? [keyAddress(edited.client_id), t.form.submitEdit] : ['#keys', t.form.submitNew]
  const grant = (permissions: readonly string[]) => form.set({ permissions })
  const box = (name: string, [label = '', note = '']: readonly (string | undefined)[]) => (
    <Choice
      name="permission"
      value={name}
      label={label}
      note={note}
      isOn={values.permissions.includes(name)}
      onChange={(isOn) => grant(toggled(values.permissions, name, isOn))}
    />
  )
  const of = (name: 'name' | 'price_list' | 'rate' | 'expires' | 'addresses') =>
    ({ form, name, label: t.form[name], note: t.form[`${name}Note`], isQuestion: true }) as const
  const lists = withKept(choices.price_lists, key?.price_list ?? null).map(
    ({ id, name }) =>
      [String(id), fill(t.preview.pricesOne, { name: name ?? fill(t.keys.list, { id: String(id) }) })] as const,
  )
  const others = values.permissions.filter(isGate)
  const readable = words().permissions.filter(({ name }) => !isGate(name))
  return (
    <>
      {choices.isUnread && <p class="warning">{t.form.unread}</p>}
      <form class="key-form" ref={form.element} noValidate autocomplete="off" onSubmit={form.submit}>
        <Faults faults={faults}>{isMeanwhile && <a href={own}>{t.form.reload}</a>}</Faults>
        <Input {...of('name')} maxLength={100} autofocus={!edited} />
        {!key && <Presets chosen={values.permissions} onChoose={grant} />}
        <Question name="permissions" label={t.form.reads} note={t.form.readsNote} fault={form.faultOf('permissions')}>
          <p class="all-none">
            <button
              type="button"
              class="link"
              data-all="true"
              onClick={() => grant([...readable.map(({ name }) => name), ...others])}
            >
              {t.page.all}
            </button>
            <button type="button" class="link" data-all="false" onClick={() => grant(others)}>
              {t.page.none}
            </button>
          </p>
          <div class="groups">
            {Object.entries(t.form.groups).map(([name, title]) => (
              <div role="group" aria-labelledby={`group-${name}`}>
                <p class="group" id={`group-${name}`}>
                  {title}
                </p>
                {readable
                  .filter(({ group }) => group === name)
                  .map((each) => box(each.name, [permissionName(each.name), each.holds?.[language.value]]))}
              </div>
            ))}
          </div>
        </Question>
        <Question name="extras" label={t.form.extras}>
          {box('costs:read', [t.form.costs, t.form.costsNote])}
          {box('customers:financial', [t.form.balances, t.form.balancesNote])}
        </Question>
        <Question name="stores" label={t.form.stores} note={t.form.storesNone} fault={form.faultOf('stores')}>
          <Stores form={form} choices={choices} />
        </Question>
        <Input {...of('price_list')} options={[['', t.preview.pricesAll], ...lists]} />
        <Input {...of('rate')} inputmode="numeric" />
        <Input {...of('expires')} type="date" />
        <Input {...of('addresses')} spellcheck={false} />
        <p class="buttons">
          <LinkButton class="cancel" href={own} text={t.page.cancel} />
          <Button type="submit" class="primary" isBusy={form.isBusy} text={submitText} />
        </p>
      </form>
    </>
  )
}

// Permissions by what the key is for.
const Presets = (props: { chosen: readonly string[]; onChoose: (permissions: readonly string[]) => void }) => {
  const { presets } = words()
  const pressed = presets.find(({ permissions }) => text(permissions) === text(props.chosen))?.id
  return (
    <Question name="presets" label={t.form.presets} note={t.form.presetsNote}>
      <p class="presets">
        {presets.map(({ id, permissions }) => (
          <button
            type="button"
            data-preset={id}
            aria-pressed={id === pressed}
            onClick={() => props.onChoose(permissions)}
          >
            {t.form.presetNames[id]}
          </button>
        ))}
      </p>
      <span class="note" role="status">
        {pressed === 'web_shop' && t.form.presetPrices}
      </span>
    </Question>
  )
}

// The body of the request.
function toSend(values: Values) {
  const typed = values.rate.trim()
  // 1,000 and 1 000 as people write them.
  const rate = /^\d{1,3}(?:[.,\s]\d{3})+$/.test(typed) ? typed.replaceAll(/\D/g, '') : typed
  const addresses = values.addresses.split(/[\s,;]+/).filter(Boolean)
  return {
    ...values,
    // A key needs a permission that opens a resource. Without one, an empty list is sent, which the service refuses with all other
    // faults.
    permissions: values.permissions.every(isGate) ? [] : values.permissions,
    price_list: values.price_list === '' ? null : Number(values.price_list),
    // If it is not a number, send what was typed: the fault quotes it.
    rate: /^\d{1,15}$/.test(rate) ? Number(rate) : typed,
    expires: values.expires || null,
    addresses: addresses.length === 0 ? null : addresses,
  }
}

async function create(values: Values) {
  const made = await ask<NewCode>('POST', '/api/keys', toSend(values))
  keepCode(made, 'made')
  await go(`${keyAddress(made.data.client_id)}/code`)
}

// Equal permissions and stores count as no change, in whatever order.
const text = (value: unknown) => JSON.stringify(Array.isArray(value) ? value.map(String).toSorted() : value)

// Sends only changed fields, with the values that were shown, so that another administrator's change is not overwritten.
async function change(key: Key, values: Values) {
  const fields = Object.keys(blank) as (keyof Values)[]
  const shown: Readonly<Record<string, unknown>> = Object.fromEntries(fields.map((each) => [each, key[each]]))
  const changed = Object.entries(toSend(values)).filter(([each, value]) => text(value) !== text(shown[each]))
  const path = `/api/keys/${encodeURIComponent(key.client_id)}`
  if (changed.length > 0) await ask('PATCH', path, { ...Object.fromEntries(changed), shown })
  await go(keyAddress(key.client_id), changed.length > 0 ? t.form.saved : t.form.unchanged)
}
