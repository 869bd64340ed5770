import { describe, expect, test } from 'bun:test'
import { ACCESS, type OperationAccess, SCOPES, type Scope } from '../../contract/scope'
import {
  type ApiKey,
  assertKey,
  authorize,
  formatKey,
  hasPoisonousScope,
  isActive,
  isLocalOrigin,
  keyHash,
  keyHashText,
  listsOrigin,
  parseKey,
} from '../../src/domain/access/api-key'
import type { KeyKind } from '../../src/domain/access/caller'
import type { Mode } from '../../src/domain/shared/value'
import fc from '../support/property'
import { NOW, RUNS, thrownBy } from './sample'

const KINDS: KeyKind[] = ['sk', 'pk']
const MODES: Mode[] = ['live', 'test']
const VARIANTS = KINDS.flatMap((kind) => MODES.map((mode): [KeyKind, Mode] => [kind, mode]))
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 })
const A_SECRET = Uint8Array.from({ length: 32 }, (_, index) => (index * 37 + 11) % 256)

const aKey = (changes: Partial<ApiKey> = {}): ApiKey => ({
  keyId: 'key_1',
  appId: 'app_one',
  organizationId: 'org_one',
  kind: 'sk',
  mode: 'live',
  scopes: ['*'],
  allowedOrigins: [],
  allowedCidrs: [],
  limits: {},
  allows: [],
  region: undefined,
  expiresAt: undefined,
  revokedAt: undefined,
  ...changes,
})
const aPublicKey = (changes: Partial<ApiKey> = {}): ApiKey =>
  aKey({ kind: 'pk', scopes: ['otp:issue', 'otp:verify'], allowedOrigins: ['https://a.example'], ...changes })

describe.each(VARIANTS)('a %s key for %s', (kind, mode) => {
  const prefix = `${kind}_${mode === 'test' ? 'test_' : ''}`

  test('reads back as what it was written, and is as long as every other', () => {
    fc.assert(
      fc.property(secret, (bytes) => {
        const key = formatKey(kind, mode, bytes)
        expect(parseKey(key)).toEqual({ kind, mode })
        expect(key).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{49}$`))
      }),
      RUNS,
    )
    for (const extreme of [0x00, 0xff]) {
      expect(formatKey(kind, mode, new Uint8Array(32).fill(extreme))).toHaveLength(prefix.length + 49)
    }
  })

  test('is another for another secret', () => {
    fc.assert(
      fc.property(secret, secret, (one, other) => {
        fc.pre(!Buffer.from(one).equals(other))
        expect(formatKey(kind, mode, one)).not.toBe(formatKey(kind, mode, other))
      }),
      RUNS,
    )
  })

  test('is rejected with any one character changed', () => {
    const key = formatKey(kind, mode, A_SECRET)
    const characters = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index))
    for (let at = 0; at < key.length; at++) {
      for (const character of characters) {
        if (character === key[at]) continue
        expect([at, character, parseKey(key.slice(0, at) + character + key.slice(at + 1))]).toEqual([
          at,
          character,
          undefined,
        ])
      }
    }
  })

  test('is rejected with two neighbours swapped, cut, or with something around it', () => {
    const key = formatKey(kind, mode, A_SECRET)
    for (let at = 0; at + 1 < key.length; at++) {
      const swapped = key.slice(0, at) + key[at + 1] + key[at] + key.slice(at + 2)
      if (swapped !== key) expect([at, parseKey(swapped)]).toEqual([at, undefined])
      expect(parseKey(key.slice(0, at))).toBeUndefined()
      expect(parseKey(key.slice(0, at) + key.slice(at + 1))).toBeUndefined()
    }
    for (const padded of [` ${key}`, `${key} `, `${key}\n`, `${key}0`, `Bearer ${key}`]) {
      expect(parseKey(padded)).toBeUndefined()
    }
  })
})

test('keys are written, and looked up, as they have been since the first: those that are out stay keys', () => {
  const checksums = VARIANTS.map(([kind, mode]) => formatKey(kind, mode, new Uint8Array(32)).slice(-6))
  expect(checksums).toEqual(['4LPos6', '1NyHUD', '1zqVSB', '3mVQG1'])
  expect(keyHash('abc').toHex()).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
  expect(keyHashText('abc')).toBe(keyHash('abc').toHex())
})

test('no key of one kind and mode reads as another', () => {
  fc.assert(
    fc.property(secret, (bytes) => {
      const body = formatKey('sk', 'live', bytes).slice(3)
      for (const prefix of ['pk_', 'sk_test_', 'pk_test_', 'SK_', 'rk_'])
        expect(parseKey(prefix + body)).toBeUndefined()
    }),
    RUNS,
  )
})

describe('a key is active', () => {
  test.each<[string, Partial<ApiKey>, boolean]>([
    ['without an end', {}, true],
    ['before its expiry', { expiresAt: NOW + 1 }, true],
    ['not at its expiry', { expiresAt: NOW }, false],
    ['not after its expiry', { expiresAt: NOW - 1 }, false],
    ['not once revoked', { revokedAt: NOW - 1 }, false],
    ['not once revoked, even where that lies ahead', { revokedAt: NOW + 1 }, false],
  ])('%s', (_, changes, expected) => {
    expect(isActive(aKey(changes), NOW)).toBe(expected)
  })
})

describe('scopes', () => {
  const HARMLESS: readonly Scope[] = ['otp:issue', 'otp:verify']

  test.each([...SCOPES])('%s on a public key is poison unless it is to issue or to verify', (scope) => {
    expect(hasPoisonousScope({ kind: 'pk', scopes: [...HARMLESS, scope] })).toBe(!HARMLESS.includes(scope))
    expect(hasPoisonousScope({ kind: 'sk', scopes: [...HARMLESS, scope] })).toBe(false)
  })

  const OPENS: Record<keyof typeof ACCESS, Scope[]> = {
    issue: ['otp:issue', 'otp:send', '*'],
    verify: ['otp:verify', 'otp:read', '*'],
    status: ['otp:status', 'otp:read', '*'],
    issues: ['otp:dashboard:read', 'otp:read', '*'],
    ledger: ['otp:ledger:read', 'otp:dashboard:read', 'otp:read', '*'],
    balance: ['otp:balance', '*'],
    templates: ['otp:templates', 'otp:read', '*'],
  }

  test.each(Object.keys(OPENS) as Array<keyof typeof ACCESS>)(
    '%s opens to its own scopes and no other',
    (operation) => {
      const opening = SCOPES.filter((scope) => {
        try {
          authorize(aKey({ scopes: [scope] }), ACCESS[operation], undefined, '127.0.0.1')
          return true
        } catch (error) {
          expect(error).toMatchObject({ kind: 'forbidden' })
          return false
        }
      })
      expect(opening.toSorted()).toEqual(OPENS[operation].toSorted())
    },
  )

  test('one fitting scope among others is enough', () => {
    const key = aKey({ scopes: ['otp:balance', 'otp:issue'] })
    expect(() => authorize(key, ACCESS.issue, undefined, '127.0.0.1')).not.toThrow()
  })
})

describe('a public key', () => {
  const call = (key: ApiKey, origin: string | undefined, access: OperationAccess = ACCESS.issue) =>
    authorize(key, access, origin, '203.0.113.1')

  test('issues and verifies from its origins', () => {
    for (const access of [ACCESS.issue, ACCESS.verify]) {
      expect(() => call(aPublicKey(), 'https://a.example', access)).not.toThrow()
    }
  })

  test('does nothing else', () => {
    for (const access of [ACCESS.status, ACCESS.issues, ACCESS.ledger, ACCESS.balance, ACCESS.templates]) {
      const key = aPublicKey({ scopes: ['*'] })
      expect(thrownBy(() => call(key, 'https://a.example', access))).toMatchObject({ kind: 'forbidden' })
    }
  })

  test.each([
    undefined,
    '',
    'null',
    'https://a.example:8443',
    'http://a.example',
    'https://a.example/',
    'https://A.example',
    'https://b.a.example',
    'https://a.example.evil.example',
    'http://localhost',
    'http://127.0.0.1:3000',
  ])('of live mode is refused from %p', (origin) => {
    expect(thrownBy(() => call(aPublicKey(), origin))).toMatchObject({ kind: 'forbidden' })
  })

  test.each(['http://localhost', 'https://localhost:3000', 'http://127.0.0.1:5173'])(
    'of test mode also works from %s, unregistered',
    (origin) => {
      expect(isLocalOrigin(origin)).toBe(true)
      expect(() => call(aPublicKey({ mode: 'test', allowedOrigins: [] }), origin)).not.toThrow()
    },
  )

  test.each([
    'https://other.example',
    'http://localhost.evil.example',
    'http://localhost:3000/',
    'http://evil.example#localhost',
    'http://localhost@evil.example',
    'http://127.0.0.2',
    'http://[::1]',
    'ftp://localhost',
    'http://localhost:',
    'http://localhost:123456',
    'http://localhost:99999',
    'https://127.0.0.1:65536',
    'http://localhost\n',
  ])('of test mode is refused from %p', (origin) => {
    expect(isLocalOrigin(origin)).toBe(false)
    expect(thrownBy(() => call(aPublicKey({ mode: 'test' }), origin))).toMatchObject({ kind: 'forbidden' })
  })

  test('is the only kind that lists origins', () => {
    expect(listsOrigin(aPublicKey(), 'https://a.example')).toBe(true)
    expect(listsOrigin(aKey({ mode: 'test', allowedOrigins: ['https://a.example'] }), 'https://a.example')).toBe(false)
    expect(listsOrigin(aKey({ mode: 'test' }), 'http://localhost')).toBe(false)
  })
})

describe('networks of a secret key', () => {
  test('any of them is enough, none of them is not', () => {
    const key = aKey({ allowedCidrs: ['192.0.2.0/24', '2001:db8::/32'] })
    for (const address of ['192.0.2.200', '2001:db8::7']) {
      expect(() => authorize(key, ACCESS.balance, undefined, address)).not.toThrow()
    }
    expect(thrownBy(() => authorize(key, ACCESS.balance, undefined, '198.51.100.1'))).toMatchObject({
      kind: 'forbidden',
    })
  })
})

describe('a key that is made', () => {
  test.each<[string, Partial<ApiKey>]>([
    ['secret, from anywhere', aKey()],
    ['secret, from its networks', aKey({ allowedCidrs: ['10.0.0.0/8', '2001:db8::/32'] })],
    ['public for live, with origins', aPublicKey({ allowedOrigins: ['https://a.example', 'http://a.example:8080'] })],
    ['public for test, without origins', aPublicKey({ mode: 'test', allowedOrigins: [] })],
    [
      'public with twenty origins',
      aPublicKey({ allowedOrigins: Array.from({ length: 20 }, (_, n) => `https://${n}.example`) }),
    ],
  ])('may be %s', (_, key) => {
    expect(() => assertKey(aKey(key))).not.toThrow()
  })

  test.each<[string, ApiKey, string]>([
    ['no scope', aKey({ scopes: [] }), 'scope'],
    ['a public key that reads', aPublicKey({ scopes: ['otp:issue', 'otp:read'] }), 'scope'],
    ['a public key for everything', aPublicKey({ scopes: ['*'] }), 'scope'],
    ['a secret key with origins', aKey({ allowedOrigins: ['https://a.example'] }), 'origin'],
    ['a public key with networks', aPublicKey({ allowedCidrs: ['10.0.0.0/8'] }), 'cidr'],
    ['a public live key without origins', aPublicKey({ allowedOrigins: [] }), 'origin'],
    [
      'more than twenty origins',
      aPublicKey({ allowedOrigins: Array.from({ length: 21 }, (_, n) => `https://${n}.example`) }),
      'origin',
    ],
    [
      'more than a hundred networks',
      aKey({ allowedCidrs: Array.from({ length: 101 }, (_, n) => `10.0.${n}.0/24`) }),
      'cidr: at most 100',
    ],
    ['a network without a length', aKey({ allowedCidrs: ['10.0.0.1'] }), 'cidr'],
    ['a network that is too long', aKey({ allowedCidrs: ['10.0.0.0/33'] }), 'cidr'],
    ['a name for a network', aKey({ allowedCidrs: ['office'] }), 'cidr'],
    ['a bad network behind a good one', aKey({ allowedCidrs: ['10.0.0.0/8', ''] }), 'cidr'],
    ['a network of two numbers, which would mean another', aKey({ allowedCidrs: ['10.1/16'] }), 'cidr'],
  ])('is refused with %s', (_, key, about) => {
    expect(thrownBy(() => assertKey(key))).toMatchObject({ kind: 'invalid', message: expect.stringContaining(about) })
  })

  test.each([
    '*',
    'https://*.example.com',
    'https://a.example/',
    'https://a.example/path',
    'https://a.example?q',
    'https://a.example:443',
    'https://A.example',
    'https://user@a.example',
    'a.example',
    'null',
    '',
    'ftp://a.example',
    'file:///etc',
    ' https://a.example',
    'https://bücher.example',
  ])('is refused with the origin %p', (origin) => {
    const key = aPublicKey({ allowedOrigins: ['https://fine.example', origin] })
    expect(thrownBy(() => assertKey(key))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('origin'),
    })
  })
})
