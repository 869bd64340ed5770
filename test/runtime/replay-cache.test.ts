/** Which idempotency keys a server remembers to have issued for: of each app and mode its own, and no more than there are places for. */
import { expect, test } from 'bun:test'
import type { IdempotencyRecord } from '../../src/domain/codes/idempotency'
import { ReplayCache } from '../../src/runtime/caches/store-cache'
import { NOW } from '../domain/sample'

const PLACES = 16_384

const keyHash = (n: number) => new Uint8Array(new Uint32Array([n, 0, 0, 0]).buffer)
const claim = (n: number, changes: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  ...{ appId: 'app_one', mode: 'live', keyHash: keyHash(n), fingerprint: keyHash(n), issueId: `${n}`, createdAt: NOW },
  ...changes,
})

test('a key is known to its app, in its mode', () => {
  const claims = new ReplayCache()
  claims.note(claim(1))
  expect(claims.find({ appId: 'app_one', mode: 'live' }, keyHash(1))).toEqual(claim(1))
  expect(claims.find({ appId: 'app_one', mode: 'live' }, keyHash(2))).toBeUndefined()
  expect(claims.find({ appId: 'app_one', mode: 'test' }, keyHash(1))).toBeUndefined()
  expect(claims.find({ appId: 'app_two', mode: 'live' }, keyHash(1))).toBeUndefined()
})

test('a key that stands for another issue now does so here, too', () => {
  const claims = new ReplayCache()
  claims.note(claim(1))
  claims.note(claim(1, { issueId: 'another' }))
  expect(claims.find(claim(1), keyHash(1))?.issueId).toBe('another')
})

test('sixteen thousand are known at most: who comes later takes a place', () => {
  const claims = new ReplayCache()
  for (let n = 0; n < PLACES + 1; n++) claims.note(claim(n))
  const isKnown = (n: number) => claims.find(claim(n), keyHash(n)) !== undefined
  expect([0, 1, PLACES - 1, PLACES].map(isKnown)).toEqual([false, true, true, true])
})
