import { describe, expect, test } from 'bun:test'
import { createHmac, hkdfSync } from 'node:crypto'
import type { Vault } from '../../src/ports/vault'
import { createVault } from '../../src/system/vault'
import fc from '../support/property'
import { RUNS } from './sample'

const SECRET = Buffer.from('the first master secret of these tests')
const vault = createVault(SECRET)
const other = createVault(Buffer.from('another master secret of these tests'))
const text = fc.string({ unit: 'grapheme', maxLength: 200 })

describe('sealing', () => {
  test('opens as what was sealed', () => {
    fc.assert(
      fc.property(text, text, (rowId, secret) => expect(vault.open(rowId, vault.seal(rowId, secret))).toBe(secret)),
      RUNS,
    )
  })

  test('hides the text, and hides that two texts are equal', () => {
    const sealed = Array.from({ length: 100 }, () => Buffer.from(vault.seal('row', '010-1234-5678')))
    for (const each of sealed) expect(each.includes('010-1234-5678')).toBe(false)
    expect(new Set(sealed.map((each) => each.toString('hex'))).size).toBe(sealed.length)
  })

  test('does not open for another row', () => {
    fc.assert(
      fc.property(text, text, text, (rowId, otherRow, secret) => {
        fc.pre(rowId !== otherRow)
        const sealed = vault.seal(rowId, secret)
        expect(() => vault.open(otherRow, sealed)).toThrow()
      }),
      RUNS,
    )
  })

  test('does not open with another secret', () => {
    expect(() => other.open('row', vault.seal('row', 'text'))).toThrow()
  })

  test('does not open with any bit changed', () => {
    const sealed = vault.seal('row', '010-1234-5678')
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const tampered = Buffer.from(sealed)
      tampered[bit >> 3] = (tampered[bit >> 3] as number) ^ (1 << (bit & 7))
      expect(() => vault.open('row', tampered)).toThrow()
    }
  })

  test('does not open cut short or with more behind it', () => {
    const sealed = Buffer.from(vault.seal('row', '010-1234-5678'))
    for (let length = 0; length < sealed.length; length++) {
      expect(() => vault.open('row', sealed.subarray(0, length))).toThrow()
    }
    expect(() => vault.open('row', Buffer.concat([sealed, Buffer.of(0)]))).toThrow()
  })
})

describe('hashes', () => {
  const USES: Array<[string, number, (vault: Vault, text: string) => Uint8Array]> = [
    ['phone', 32, (vault, text) => vault.phoneHash(text)],
    ['code', 32, (vault, text) => vault.codeHash(text.slice(0, -7), text.slice(-6))],
    ['claim', 16, (vault, text) => vault.claimHash(text)],
    ['fingerprint', 16, (vault, text) => vault.fingerprint(text)],
    ['tag', 16, (vault, text) => vault.tag(text)],
    ['audit', 32, (vault, text) => vault.auditHash(text)],
    ['address', 16, (vault, text) => vault.addressHash(text)],
  ]
  const TEXT = 'issue-1:123456'

  test.each(USES)('of a %s are %d bytes, the same for the same text and secret, and else others', (_, length, hash) => {
    expect(hash(vault, TEXT)).toHaveLength(length)
    expect(hash(vault, TEXT)).toEqual(hash(vault, TEXT))
    expect(hash(vault, TEXT)).not.toEqual(hash(vault, 'issue-1:123457'))
    expect(hash(vault, TEXT)).not.toEqual(hash(other, TEXT))
  })

  test('of different uses differ for the same text', () => {
    const hashes = USES.map(([, , hash]) => Buffer.from(hash(vault, TEXT)).subarray(0, 16).toString('hex'))
    expect(new Set(hashes).size).toBe(USES.length)
  })

  // What an older release has stored must be found again.
  test.each(USES)('of a %s are HMAC-SHA256, cut to %d bytes, under a key of their own', (use, length, hash) => {
    const known = createVault(SECRET, (bytes) => Buffer.alloc(bytes, 7))
    const key = Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 7), '', `watchword/${use}/v1`, 32))
    for (const text of [TEXT, '가입-1:123456', `${'x'.repeat(10_000)}:123456`]) {
      const expected = createHmac('sha256', key).update(text).digest().subarray(0, length)
      expect(Buffer.from(hash(known, text))).toEqual(expected)
    }
  })

  test('of one code differ from issue to issue', () => {
    expect(vault.codeHash('issue-1', '123456')).not.toEqual(vault.codeHash('issue-2', '123456'))
  })

  test('of different texts differ', () => {
    fc.assert(
      fc.property(text, text, (one, another) => {
        fc.pre(one !== another)
        expect(vault.phoneHash(one)).not.toEqual(vault.phoneHash(another))
      }),
      RUNS,
    )
  })
})
