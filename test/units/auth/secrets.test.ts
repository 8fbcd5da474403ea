// The format of access tokens.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  hashSecret,
  isOurToken,
  looksLikeToken,
  makeAccessToken,
  makeToken,
  rememberHashes,
} from '../../../src/auth/secrets.ts'

test('the tag distinguishes an access token from an invented one, given the key that made it', () => {
  const [own, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  for (let turn = 0; turn < 200; turn += 1) {
    const made = makeAccessToken(own)
    assert.ok(looksLikeToken(made) && isOurToken(made, own))
    assert.ok(!isOurToken(made, other))
    for (const at of ['svc_at_'.length, made.length - 13, made.length - 12, made.length - 1])
      assert.ok(!isOurToken(made.slice(0, at) + (made[at] === 'a' ? 'b' : 'a') + made.slice(at + 1), own), made)
  }
  assert.ok(!looksLikeToken(makeToken()))
})

test('the hash of a token that comes again is not made again; with another key it is looked at anew', () => {
  const [own, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  const [hashOf, token] = [rememberHashes(), makeAccessToken(own)]
  const made = hashOf(token, own)
  assert.deepEqual(made, hashSecret(token))
  assert.equal(hashOf(token, own), made)
  assert.equal(hashOf(token, other), undefined)
  assert.equal(hashOf(makeAccessToken(other), own), undefined)
  // Bounded: of more tokens than that the first is made again.
  const again = hashOf(token, own)
  for (let turn = 0; turn < 2000; turn += 1) hashOf(makeAccessToken(own), own)
  assert.notEqual(hashOf(token, own), again)
})
