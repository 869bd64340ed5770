/**
 * Cryptography: keyed hashes and sealing, and random numbers. Every use has a key of its own, derived by HKDF from the keys of
 * the database (`key-ring.ts`): one use reveals nothing about another. Synchronous on purpose: WebCrypto does not settle
 * under virtual time.
 */
import { createHash, createPrivateKey, createPublicKey, randomBytes, randomInt, sign } from 'node:crypto'
import { CryptoHasher } from 'bun'
import { networkOf } from '../domain/access/network'
import type { Random, SigningKey, Vault } from '../ports/vault'
import { decrypt, deriveFrom, encrypt, type Keys, Ring, signingSeed } from './key-ring'

const HASH_BYTES = 32
const SHORT_BYTES = 16
const PLACE_BYTES = 8
const NONCE_BYTES = 12

/**
 * Starts with new keys, until it adopts those of a database (`ring.adopt`). `random`: for keys and nonces. `again`: reads the secret
 * anew, where it may change while a server runs.
 */
export function createVault(
  masterSecret: Uint8Array,
  random: (length: number) => Uint8Array = randomBytes,
  again?: () => Uint8Array,
): Vault {
  let hmac: ReturnType<typeof hashesOf>
  let seals: ReadonlyMap<number, Buffer>
  let signingKeys: Map<string, SigningKey>
  const ring = new Ring(masterSecret, {
    ...{ randomBytes: random, again },
    adopted(keys) {
      hmac = hashesOf(keys)
      seals = new Map([...keys.roots].map(([number, root]) => [number, deriveFrom(root, 'seal')]))
      signingKeys = new Map()
    },
  })

  const newestSeed = (name: string) => signingSeed(ring.keys, name)
  const seedOf = (name: string, now: number) =>
    ring.keys.former.find(({ signsUntil }) => now < signsUntil)?.seeds.get(name) ?? newestSeed(name)
  function signing(seed: Buffer): SigningKey {
    const text = seed.toString('base64')
    const known = signingKeys.get(text) ?? signingKeyFrom(seed)
    signingKeys.set(text, known)
    return known
  }

  /** Another process may have added the key to the database. */
  function sealOf(generation: number): Buffer {
    if (!seals.has(generation)) ring.look()
    const key = seals.get(generation)
    if (!key) throw new Error('This was sealed by a key that is not known here')
    return key
  }

  return {
    phoneHash: (identity) => hmac.phone(identity),
    codeHash: (issueId, code) => hmac.code(`${issueId}:${code}`),
    claimHash: (key) => hmac.claim(key, SHORT_BYTES),
    fingerprint: (text) => hmac.fingerprint(text, SHORT_BYTES),
    auditHash: (text) => hmac.audit(text),
    addressHash: (text) => hmac.address(text, SHORT_BYTES),
    prefixHash: (digits) => hmac.place(`prefix ${digits}`, PLACE_BYTES),
    networkHash: (address) => hmac.place(`network ${networkOf(address)}`, PLACE_BYTES),
    standingKey: (use) => hmac.standingKey(use),
    passingKey: (use) => deriveFrom(ring.keys.roots.get(ring.generation) ?? Buffer.alloc(0), `passing/${use}`),
    signingKey: (name, now) => signing(seedOf(name, now)),
    publishedKeys(names, now) {
      const about = ring.keys.former.filter(({ until }) => now < until).flatMap(({ seeds }) => [...seeds.values()])
      const keys = [...about, ...names.map((name) => newestSeed(name))].map(signing)
      return [...new Map(keys.map((key) => [key.keyId, key])).values()]
    },
    tag: (text) => hmac.tag(text, SHORT_BYTES),

    seal(rowId, text) {
      const sealed = encrypt(sealOf(ring.generation), rowId, Buffer.from(text), random(NONCE_BYTES))
      return Buffer.concat([ring.mark, sealed])
    },
    open: (rowId, sealed) => decrypt(sealOf(sealed[0] ?? 0), rowId, sealed.subarray(1)).toString('utf8'),
    ring,
  }
}

/** Buffer of a hash before it is cut; the runtime needs space for its longest digest. */
const room = new Uint8Array(64)

function hashesOf({ data }: Keys) {
  const keyed = (use: string) => {
    // Copied for each text, since keying a new hasher takes longer than hashing.
    const hasher = new CryptoHasher('sha256', deriveFrom(data, use))
    return (text: string, bytes = HASH_BYTES): Uint8Array => {
      hasher.copy().update(text).digest(room)
      return room.slice(0, bytes)
    }
  }
  return {
    phone: keyed('phone'),
    code: keyed('code'),
    claim: keyed('claim'),
    fingerprint: keyed('fingerprint'),
    tag: keyed('tag'),
    audit: keyed('audit'),
    address: keyed('address'),
    place: keyed('place'),
    standingKey: keyed('standing-key'),
  }
}

/** The PKCS #8 header of an Ed25519 private key (RFC 8410). */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex')

function signingKeyFrom(seed: Uint8Array): SigningKey {
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' })
  const { crv, kty, x = '' } = createPublicKey(key).export({ format: 'jwk' })
  return {
    keyId: createHash('sha256').update(JSON.stringify({ crv, kty, x })).digest('base64url'),
    publicKey: Buffer.from(x, 'base64url'),
    sign: (text) => sign(null, Buffer.from(text), key),
  }
}

/** The platform's cryptographic source. */
export const systemRandom: Random = {
  bytes: (length) => randomBytes(length),
  below: (max) => randomInt(max),
  uuid: (now) => Bun.randomUUIDv7('hex', now),
}
