import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { COVERED, storedAnew } from '../../src/store/covered'
import { Cover } from '../../src/system/cover'
import { createVault } from '../../src/system/vault'

const [one, two] = [randomBytes(32), randomBytes(32)]
const first = new Cover(new Map([[0, one]]), 0)
const second = new Cover(new Map([[1, one]]), 1)
const changing = new Cover(
  new Map([
    [1, one],
    [2, two],
  ]),
  2,
)
const LENGTHS = [8, 16, 32]

test('by the first secret hashes are stored as they are', () => {
  const hash = randomBytes(32)
  expect(first.stored(hash)).toEqual(hash)
  expect(first.plain(hash, 0, 32)).toEqual(hash)
  expect([first.otherwise(hash), first.isChanging]).toEqual([[], false])
})

describe('by a key', () => {
  test.each(LENGTHS)('a hash of %d bytes comes back, and looks like another one', (length) => {
    const hash = randomBytes(length)
    const stored = second.stored(hash)
    expect(Buffer.from(stored).indexOf(hash.subarray(0, 8))).toBe(-1)
    expect(new Uint8Array(second.plain(stored, 1, length))).toEqual(new Uint8Array(hash))
  })

  test.each(LENGTHS)('equal hashes of %d bytes are stored alike, whatever was stored between', (length) => {
    const hash = randomBytes(length)
    const before = Buffer.from(second.stored(hash))
    for (const other of LENGTHS) second.plain(second.stored(randomBytes(other)), 1, other)
    expect(Buffer.from(second.stored(hash))).toEqual(before)
  })

  test('no hash stays none', () => {
    expect(second.stored(new Uint8Array())).toEqual(new Uint8Array())
    expect(second.plain(new Uint8Array(), 1, 8)).toEqual(new Uint8Array())
  })

  test('what is stored by a key that is not known is no hash', () => {
    const hash = randomBytes(32)
    expect(second.plain(changing.stored(hash), 2, 32)).toEqual(new Uint8Array(32))
    expect(second.plain(hash, 0, 32)).toEqual(new Uint8Array(32))
  })
})

test('what is stored by a key that is not known is not stored anew: its hash would be lost', () => {
  const { cover } = createVault(Buffer.alloc(32))
  const anew = (generation: number) =>
    storedAnew(COVERED.claims, [1, randomBytes(16), randomBytes(16), generation], cover)
  expect(() => anew(2)).toThrow('by a key that is not known here')
  expect(anew(0)).toHaveLength(1)
})

test('while keys are changed, the newest stores, and hashes by either are met', () => {
  const hash = randomBytes(16)
  const [before, now] = [second.stored(hash), changing.stored(hash)]
  expect(changing.otherwise(hash).map((form) => Buffer.from(form))).toEqual([Buffer.from(before)])
  expect(Buffer.from(before)).not.toEqual(Buffer.from(now))
  for (const [stored, generation] of [
    [before, 1],
    [now, 2],
  ] as const)
    expect(Buffer.from(changing.plain(stored, generation, 16))).toEqual(Buffer.from(hash))
  expect(changing.isChanging).toBe(true)
})

test('by the first secret nothing but its hash says where the audit log ends', () => {
  const vault = createVault(Buffer.from('a secret that is long enough for this'))
  expect(vault.headHashes('a head')).toEqual([Buffer.from(vault.auditHash('a head'))])
})
