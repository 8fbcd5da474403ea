// Requests that no client should send: odd parameters, ids, paths, methods and credentials.
import * as fc from 'fast-check'
import { brokenEscapes, injections, integers, labels, letters, sorts, times, wildcards } from '../hostile/corpora.ts'
import { strangeToken } from '../support/grants.ts'
import { listPaths } from '../support/routes.ts'
import type { Step } from './situation.ts'

const words = (text: string) => text.split(/\s+/).filter(Boolean)

// Some of them are right for some resources.
const oddParameters = words(`
  unknown=1 id=1 a=b=c = && %00=1 %zz=1 page=1&page=2
  sort= sort=nope sort=id,id sort=- sort=--id sort=ID sort=name,code,id,total sort=total sort=-updated_at,id
  page=0 page=-1 page=1.5 page=01 page=10001 page=10000 per_page=0 per_page=101 per_page=100 per_page=1e2 per_page= per_page=+5
  search=a search= search=%00ab search=%00 search=%E0%A4%A search=%zz search=%F0%9F%98%80 search=a+b search=%25_ search=%5C%5C
  search=***%3D search=(?i) search=%5B%5Ba search=%ED%A0%80ab search=%EF%BF%BF%EF%BF%BF search=%C4%B0%C4%B1
  search=${'x'.repeat(100)} search=${'x'.repeat(101)}
  status=nope status=open,hold status=all status=void status=active status=hold status=Open
  type= type=inventory,,service type=return,receipt payment_status=paid,paid currency=EUR currency=usd
  date_from=2026-02-30 date_from=2026-1-1 date_from=0001-01-01 date_to=9999-12-31 date_to=0000-01-01
  date_from=9999-12-31&date_to=0001-01-01 updated_since=2026-01-01T24:00:00 updated_since=9999-12-31T23:59:59
  updated_since=2026-01-01T00:00:00Z updated_since=2024-01-31T11:59:59 updated_since=0001-01-01
  customer_id=abc customer_id=9007199254740992 customer_id=9007199254740991 customer_id=-9007199254740991
  store_id=-0 store_id=0 vendor_id=0 department_id=2147483648 purchase_order_id=-1 price_list_id=1`)
// Every parameter that some resource has, with what attackers put into them.
const attacked = words(`page per_page sort search search search status type payment_status currency date_from date_to
  updated_since customer_id store_id vendor_id`)
const attacks = [...injections, ...wildcards, ...letters, ...integers, ...times, ...labels, ...sorts]
  .map((text) => encodeURIComponent(text))
  .concat(brokenEscapes)
const parameter = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...oddParameters) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...attacked), fc.constantFrom(...attacks))
      .map(([name, value]) => `${name}=${value}`),
  },
)
const oddIds =
  words(`abc 0 -1 00 1.0 %31 9007199254740991 9007199254740992 -9007199254740991 1e3 %20 +1 1/lines %C3%A9 1?page=1
  1? 1?x {id} 99999999999999999999999999`)
const otherPaths =
  words(`/nope /products/ //products /Products /api/v2/products /api/v1 /auth/token/1 /auth/token /auth/revoke /status?x=1
  /status /ping /ping /ping?x=1 /resources /resources?x=%zz /%70roducts /products%2F1`)

const path = fc.constantFrom(...listPaths)
const target = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(path, fc.array(parameter, { minLength: 1, maxLength: 4 }))
      .map(([list, parameters]) => `${list}?${parameters.join('&')}`),
  },
  { weight: 2, arbitrary: fc.tuple(path, fc.constantFrom(...oddIds)).map((parts) => parts.join('/')) },
  { weight: 2, arbitrary: fc.constantFrom(...otherPaths) },
)
const method = fc.oneof(
  { weight: 12, arbitrary: fc.constant('GET') },
  { weight: 1, arbitrary: fc.constantFrom('POST', 'PUT', 'HEAD', 'OPTIONS', 'DELETE', 'get') },
)
const strange = `Bearer ${strangeToken}`
// Mostly the caller's token.
const authorization = fc.oneof(
  { weight: 14, arbitrary: fc.constant(null) },
  { weight: 1, arbitrary: fc.constantFrom([], [strange, strange]) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('Bearer', 'Bearer ', strange, strange.toLowerCase(), 'Bearer a b', 'Basic YTpi', 'Bearer svc_at_\0')
      .map((header) => [header]),
  },
)
export const acceptEncoding = fc.constantFrom('', '', '', 'gzip', 'br', 'gzip;q=0, br', 'deflate, *;q=0.1')

export const oddRequest: fc.Arbitrary<Step> = fc
  .record({ target, method, authorization, acceptEncoding, isSecure: fc.integer({ min: 0, max: 8 }).map(Boolean) })
  .map(({ target: asked, authorization: shown, ...others }) => ({
    does: 'ask',
    target: asked,
    withToken: shown === null,
    asked: { ...others, ...(shown === null ? {} : { authorization: shown }) },
  }))
