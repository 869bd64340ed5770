import { describe, expect, test } from 'bun:test'
import type { Owner } from '../../src/domain/shared/value'
import { createVault } from '../../src/system/vault'
import { type PagedEndpoint, readCursor, writeCursor } from '../../src/usecases/shared/cursor'
import fc, { anyText } from '../support/property'
import { RUNS, thrownBy } from './sample'

const vault = createVault(Buffer.from('the master secret of these tests'))
const OWNER: Owner = { appId: 'app_one', mode: 'live' }
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=. '

const endpoint = fc.constantFrom<PagedEndpoint>('issues', 'credit-ledger')
const owner: fc.Arbitrary<Owner> = fc.record({
  appId: fc.constantFrom('app_one', 'app_two'),
  mode: fc.constantFrom('live', 'test'),
})
/** What the two endpoints write: an issue's id, or a time and a number. */
const position = fc.oneof(
  fc.uuid({ version: 7 }),
  fc.tuple(fc.nat(), fc.nat()).map((pair) => pair.join('.')),
)

const refuses = (read: () => unknown) =>
  expect(thrownBy(read)).toMatchObject({ kind: 'invalid', message: expect.stringContaining('cursor') })

test('a cursor stands for the position it was written for', () => {
  fc.assert(
    fc.property(endpoint, owner, fc.oneof(position, fc.string({ unit: 'grapheme' })), (endpoint, owner, position) => {
      const cursor = writeCursor(vault, endpoint, owner, position)
      expect(readCursor(vault, endpoint, owner, cursor)).toBe(position)
      expect(cursor).toMatch(/^[A-Za-z0-9_-]+$/)
    }),
    RUNS,
  )
})

describe('a cursor is refused', () => {
  test('with any one character changed, missing or added', () => {
    for (const position of ['019ca91c-4e00-7000-8000-000000000001', '1772366400000.17', '1.1', '12.1', '']) {
      const cursor = writeCursor(vault, 'issues', OWNER, position)
      for (let at = 0; at <= cursor.length; at++) {
        for (const character of ALPHABET) {
          const added = cursor.slice(0, at) + character + cursor.slice(at)
          refuses(() => readCursor(vault, 'issues', OWNER, added))
          if (at === cursor.length || cursor[at] === character) continue
          const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
          refuses(() => readCursor(vault, 'issues', OWNER, changed))
        }
        if (at < cursor.length) refuses(() => readCursor(vault, 'issues', OWNER, cursor.slice(0, at)))
      }
    }
  })

  test('at another endpoint, by another app, or in the other mode', () => {
    fc.assert(
      fc.property(position, endpoint, owner, endpoint, owner, (position, fromEndpoint, fromOwner, endpoint, owner) => {
        fc.pre(fromEndpoint !== endpoint || fromOwner.appId !== owner.appId || fromOwner.mode !== owner.mode)
        const cursor = writeCursor(vault, fromEndpoint, fromOwner, position)
        refuses(() => readCursor(vault, endpoint, owner, cursor))
      }),
      RUNS,
    )
  })

  test('under another secret', () => {
    const elsewhere = createVault(Buffer.from('another master secret of these tests'))
    refuses(() => readCursor(vault, 'issues', OWNER, writeCursor(elsewhere, 'issues', OWNER, '1.1')))
  })

  test.each(['', 'A', 'cursor', '!', '019ca91c-4e00-7000-8000-000000000001', 'A'.repeat(12), 'A'.repeat(10_000)])(
    'when it was made up: %p',
    (madeUp) => {
      refuses(() => readCursor(vault, 'issues', OWNER, madeUp))
    },
  )

  test('when it was made up of anything', () => {
    fc.assert(
      fc.property(anyText(), (madeUp) => refuses(() => readCursor(vault, 'issues', OWNER, madeUp))),
      RUNS,
    )
  })
})
