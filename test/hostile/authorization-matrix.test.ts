// Every resource, list and detail, for every permission alone and none, every restriction to stores and to a price list,
// as the key's own token and as one that was narrowed: every answer is the model's, to the byte, and a hidden record is answered like one
// that does not exist.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret, makeAccessKey, makeSecurityCode } from '../../src/auth/secrets.ts'
import { visibleRecords, type Access } from '../model/access.ts'
import { looksOf, targetOf } from '../model/compare.ts'
import { expectedAnswer, listOfAll, type Request } from '../model/model.ts'
import { company } from '../support/fixture.ts'
import { addOns, gatedFields, hiddenNames, namesIn } from '../support/gates.ts'
import { grantOf } from '../support/grants.ts'
import { howMuch, isLong, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import { allPermissions, permissionOf } from '../support/routes.ts'
import { specification, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

interface Restriction {
  readonly stores: readonly number[] | null
  readonly priceList: number | null
}
const restrictions: readonly Restriction[] = [null, [1], [1, 3], []].flatMap((stores) =>
  [null, 2].map((priceList) => ({ stores, priceList })),
)
const nameOf = ({ stores, priceList }: Restriction) =>
  `stores ${stores === null ? 'all' : stores.join(' and ') || 'none'}, price list ${priceList ?? 'any'}`

// Each alone, and none. An add-on opens nothing by itself: it is also tried beside each permission that does.
const alone: readonly (readonly string[])[] = [[], ...allPermissions.map((permission) => [permission])]
const beside = allPermissions.flatMap((permission) =>
  addOns.includes(permission) ? [] : [...addOns.map((addOn) => [permission, addOn]), [permission, ...addOns]],
)

let world: World
before(async () => {
  world = await createWorld({ rows: company, readers: 2 })
})
after(() => world.close())

let addresses = 0
async function keyOf(permissions: readonly string[], { stores, priceList }: Restriction) {
  const [accessKey, securityCode] = [makeAccessKey(), makeSecurityCode()]
  const held = permissions as Parameters<World['state']['createKey']>[0]['permissions']
  const key = { accessKey, name: 'Cell', permissions: held, stores, priceList, rate: 1_000_000 }
  await world.state.createKey(key, hashSecret(securityCode))
  return { accessKey, securityCode }
}
async function signIn(key: Awaited<ReturnType<typeof keyOf>>, scope?: string): Promise<Answer> {
  addresses += 1
  const address = `10.2.${addresses >> 8}.${addresses & 255}`
  return world.signIn(grantOf(key, scope === undefined ? {} : { scope }), { address })
}

// The first, which is filled, and some between.
const some = (ids: readonly number[]) => {
  const step = Math.ceil(ids.length / howMuch(2, 12))
  return ids.filter((_, at) => at % Math.max(1, step) === 0)
}
const absentId = 987_654

const idsFor = (rule: ResourceRule, access: Access) =>
  visibleRecords(rule, company, access).map(({ row }) => Number(row['id']))

// The details that are asked for: some that the access sees, some that it does not, and one that does not exist.
function detailsFor(rule: ResourceRule, access: Access): Request[] {
  const seen = idsFor(rule, access)
  const hidden = idsFor(rule, { ...access, stores: null, priceList: null }).filter((id) => !seen.includes(id))
  const ids = access.permissions.includes(rule.permission) ? [...some(seen), ...some(hidden), absentId] : [1]
  return ids.map((id) => ({ resource: rule.name, id, parameters: {} }))
}

const counted = { cells: 0, requests: 0, granted: 0 }

async function compareCell(token: string, rule: ResourceRule, shows: 'list' | 'detail', access: Access): Promise<void> {
  const hidden = hiddenNames(access.permissions, access.priceList)
  const refused = new Set<string>()
  counted.cells += 1
  if (access.permissions.includes(rule.permission)) counted.granted += 1
  for (const request of shows === 'list' ? [listOfAll(rule)] : detailsFor(rule, access)) {
    counted.requests += 1
    const target = targetOf(request)
    const answer = await world.ask(target, { token })
    assert.deepEqual(namesIn(answer.body, hidden), [], `${target} names what the token may not see`)
    const expected = expectedAnswer(company, request, access)
    assert.equal(answer.status, expected.status, target)
    const total = 'total' in expected ? expected.total : null
    assert.equal(answer.headers['X-Total-Count'], total === null ? undefined : String(total))
    if (expected.status === 200) assert.equal(answer.text, expected.text, target)
    else {
      assert.deepEqual([Object.keys(answer.body), answer.body.error.code], [['error'], expected.code], target)
      refused.add(looksOf(answer))
    }
  }
  assert.ok(refused.size <= 1, 'all that are refused look alike')
}

async function compareToken(
  token: string,
  permissions: readonly string[],
  restriction: Restriction,
  rules = specification,
): Promise<void> {
  const access = { permissions, ...restriction }
  const compare = (rule: ResourceRule, shows: 'list' | 'detail') =>
    compareCell(token, rule, shows, access).catch((error: unknown) => {
      const who = `${permissions.join(' ') || 'no permission'}, ${nameOf(restriction)}`
      throw new Error(`${rule.name}, ${shows}, with ${who}`, { cause: error })
    })
  await Promise.all(rules.flatMap((rule) => [compare(rule, 'list'), compare(rule, 'detail')]))
  const hidden = hiddenNames(permissions, restriction.priceList)
  for (const target of ['/resources', '/ping', '/nothing', '/products?no=1']) {
    const { body } = await world.ask(target, { token })
    assert.deepEqual(namesIn(body, hidden), [], target)
    if (target === '/ping') assert.deepEqual(body.scopes, permissions)
    if (target === '/resources')
      assert.deepEqual(
        body.data.map(({ name }: { name: string }) => name),
        specification.map(({ name }) => name).filter((name) => permissions.includes(permissionOf[name] ?? '')),
      )
  }
}

const opens = (permissions: readonly string[]) =>
  specification.filter(({ name }) => permissions.includes(permissionOf[name] ?? ''))

async function compareAlone(restriction: Restriction): Promise<void> {
  const wide = await keyOf(allPermissions, restriction)
  for (const permissions of alone) {
    const key = await keyOf(permissions, restriction)
    const own = await signIn(key)
    // No scope is none: a token cannot be narrowed to nothing.
    const narrowed = permissions.length > 0 ? [await signIn(wide, permissions.join(' '))] : []
    for (const { body } of [own, ...narrowed]) {
      assert.equal(body.scope, permissions.join(' '))
      await compareToken(String(body.access_token), permissions, restriction)
    }
    const lacking = allPermissions.filter((each) => !permissions.includes(each))
    for (const wanted of isLong ? lacking : lacking.slice(0, 1)) {
      const { status, body } = await signIn(key, [...permissions, wanted].join(' '))
      assert.deepEqual([status, body.error], [400, 'invalid_scope'])
    }
  }
}

async function compareBeside(restriction: Restriction): Promise<void> {
  const wide = await keyOf(allPermissions, restriction)
  for (const permissions of [...beside, allPermissions]) {
    const own = async () => signIn(await keyOf(permissions, restriction))
    const narrowed = () => signIn(wide, permissions.join(' '))
    const ways = isLong ? [own, narrowed] : permissions.length % 2 === 0 ? [own] : [narrowed]
    for (const way of ways) {
      const { body } = await way()
      const rules = isLong ? specification : opens(permissions)
      await compareToken(String(body.access_token), permissions, restriction, rules)
    }
  }
}

test('the authorization matrix', async (context) => {
  for (const restriction of restrictions) {
    await context.test(`${nameOf(restriction)}: one permission or none, of the key or of a narrowed token`, () =>
      compareAlone(restriction),
    )
    await context.test(`${nameOf(restriction)}: the add-ons beside each permission, and all`, () =>
      compareBeside(restriction),
    )
  }
  // 17 resources, list and detail, 15 permissions, narrowed or not, and none, 4 restrictions to stores, 2 to a price list.
  const least = 17 * 2 * (15 * 2 + 1) * 4 * 2
  assert.ok(counted.cells > least, `${counted.cells} cells of ${least}`)
  told(
    `matrix on ${engineUnderTest}: ${counted.cells} cells compared (${counted.granted} of them open), ${counted.requests} requests`,
  )
})

const plain = ({ text, body }: Answer) => text.replaceAll(String(body.error?.request_id), '')

// A misspelt name is helped with: by the names that are allowed, and the nearest of them.
const near = (name: string) => [`${name}s`, name.slice(0, -1), name.replace('_', '-'), `x${name}`, name.toUpperCase()]

test('faults name no field that the token may not see, not as allowed and not as meant', async () => {
  const without = allPermissions.filter((each) => !addOns.includes(each))
  const [{ body: narrow }, { body: wide }] = [
    await signIn(await keyOf(without, { stores: null, priceList: null })),
    await signIn(await keyOf(allPermissions, { stores: null, priceList: null })),
  ]
  const hidden = hiddenNames(without, null)
  let faults = 0
  for (const { name: resource } of specification)
    for (const gated of addOns.flatMap((gate) => gatedFields[gate] ?? [])) {
      for (const spelt of near(gated))
        for (const query of [`sort=${spelt}`, `sort=id,-${spelt}`, `${spelt}=1`, `fields=${spelt}`]) {
          const answer = await world.ask(`/${resource}?${query}`, { token: String(narrow.access_token) })
          assert.equal(answer.status, 400, `${resource}?${query}`)
          // Without what was sent, which may be one of the names itself.
          const said = plain(answer).replaceAll(new RegExp(`\\b${spelt}\\b`, 'g'), '')
          for (const name of hidden) assert.ok(!new RegExp(`\\b${name}\\b`).test(said), `${resource}?${query}: ${said}`)
          faults += 1
        }
      // No sort or filter uses a gated field: a key that may see the field gets the same refusal.
      for (const query of [`sort=${gated}`, `sort=-${gated}`, `${gated}=1`]) {
        const [one, other] = [
          await world.ask(`/${resource}?${query}`, { token: String(narrow.access_token) }),
          await world.ask(`/${resource}?${query}`, { token: String(wide.access_token) }),
        ]
        assert.equal(one.status, 400)
        assert.equal(plain(one), plain(other))
        faults += 1
      }
    }
  told(`matrix: ${faults} faults looked through for gated names`)
})
