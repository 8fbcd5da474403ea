// Token requests, right and wrong in every way. KEY, CODE and BASIC stand for what the caller really has.
import * as fc from 'fast-check'
import { wrongCode } from '../support/grants.ts'
import type { Step } from './situation.ts'

const form = 'application/x-www-form-urlencoded'
const grant = 'grant_type=client_credentials'
const right = `${grant}&client_id=KEY&client_secret=CODE`
const guess = `${grant}&client_id=KEY&client_secret=${wrongCode}`
const inJson = (key: string, code: string) =>
  `{"grant_type":"client_credentials","client_id":${key},"client_secret":${code}}`

export const rightSignIn: fc.Arbitrary<Step> = fc
  .constantFrom(
    { contentType: form, body: right },
    { contentType: `${form}; charset=UTF-8`, body: grant, authorization: ['Basic BASIC'] },
    { contentType: form, body: `${right}&scope=invoices:read+products:read&x=1&y=` },
    { contentType: 'application/json', body: inJson('"KEY"', '"CODE"') },
  )
  .map((asked) => ({ does: 'sign in', asked }))

const bodies = [
  right,
  `${right}&${grant}`,
  `${right}&scope=nope`,
  `${right}&scope=%20`,
  `${right}&scope=costs:read`,
  `${right}&scope=costs:read+customers:financial`,
  right.replace(grant, 'grant_type=password'),
  right.replace(grant, ''),
  right.toUpperCase(),
  grant,
  `${grant}&client_id=KEY`,
  `${grant}&client_id=svc_ak_nobody&client_secret=CODE`,
  `${grant}&client_id=KEY%00&client_secret=CODE`,
  `${grant}&client_id=%ED%A0%80&client_secret=x`,
  `${grant}&client_id=${'k'.repeat(9000)}`,
  inJson('"\\ud800"', '"\\u0000"'),
  inJson('7', '"CODE"'),
  '',
  '&&&',
  '%zz=1',
  '{',
  '[]',
  'null',
  '{"a":1}',
]
const body = fc.oneof(
  { weight: 4, arbitrary: fc.constant(guess) },
  { weight: 12, arbitrary: fc.constantFrom(...bodies) },
  // Too large to be read.
  { weight: 1, arbitrary: fc.constant(null) },
)
const contentType = fc.constantFrom(form, form, form, form, 'application/json', 'text/plain', 'APPLICATION/JSON', '')
const authorization = fc.constantFrom([], [], [], ['Basic BASIC'], ['Basic !'], ['Basic a', 'Basic BASIC'])

export const wrongSignIn: fc.Arbitrary<Step> = fc
  .record({ contentType, body, authorization })
  .map((asked) => ({ does: 'sign in', asked }))
