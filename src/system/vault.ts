/**
 * Keyed hashes and sealing. Every use has a key of its own, derived by HKDF from the master secret (`key-ring.ts` where that was
 * changed), so that one use says nothing about another. Synchronous on purpose: WebCrypto does not settle under virtual time.
 */
import { createHash, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'
import { CryptoHasher } from 'bun'
import type { HashCover, SigningKey, Vault } from '../ports/vault'
import { Cover } from './cover'
import { decrypt, encrypt, type Keys, markedIn, type Name, Ring, withoutMark } from './key-ring'

const HASH_BYTES = 32
const SHORT_BYTES = 16
const PLACE_BYTES = 8
const NONCE_BYTES = 12

/** `again`: the secret as it is kept now, where that may change while a server runs. */
export function createVault(
  masterSecret: Uint8Array,
  randomNonce: (length: number) => Uint8Array = randomBytes,
  again?: () => Uint8Array,
): Vault {
  let hmac: ReturnType<typeof hashesOf>
  let cover: Cover
  let signingKeys: Map<string, SigningKey>
  const ring = new Ring(masterSecret, {
    again,
    adopted(keys) {
      hmac = hashesOf(keys)
      cover = new Cover(keys.covers, keys.generation)
      signingKeys = new Map()
    },
  })

  const newestSeed = (name: string) => ring.keys.derive(`signing/${name}`)
  const seedOf = (name: string, now: number) =>
    ring.keys.former.find(({ signsUntil }) => now < signsUntil)?.seeds.get(name) ?? newestSeed(name)
  function signing(seed: Buffer): SigningKey {
    const text = seed.toString('base64')
    const known = signingKeys.get(text) ?? signingKeyFrom(seed)
    signingKeys.set(text, known)
    return known
  }

  /** Throws where none of them has sealed it for this row. */
  function opened(rowId: string, sealed: Uint8Array): Buffer {
    const marked = markedIn(sealed)
    if (marked !== undefined) {
      if (!ring.keys.seals.has(marked)) ring.look()
      const key = ring.keys.seals.get(marked)
      try {
        if (key) return decrypt(key, rowId, withoutMark(sealed))
      } catch (error) {
        if (!ring.keys.seals.has(0)) throw error
      }
    }
    const first = ring.keys.seals.get(0)
    if (!first) throw new Error('This was sealed by a secret that opens nothing any more')
    return decrypt(first, rowId, sealed)
  }

  /** Where a key is not known yet, the database may have it. */
  function knows(generation: number): boolean {
    if (!cover.knows(generation)) ring.look()
    return cover.knows(generation)
  }
  function plain(stored: Uint8Array, generation: number, length: number): Uint8Array {
    knows(generation)
    return cover.plain(stored, generation, length)
  }
  function steady(): HashCover {
    const now = cover
    return {
      ...{ generation: now.newest, isChanging: now.isChanging, plain, knows, steady },
      stored: (hash) => now.stored(hash),
      otherwise: (hash) => now.otherwise(hash),
    }
  }

  return {
    phoneHash: (identity) => hmac.phone(identity),
    codeHash: (issueId, code) => hmac.code(`${issueId}:${code}`),
    claimHash: (key) => hmac.claim(key, SHORT_BYTES),
    fingerprint: (text) => hmac.fingerprint(text, SHORT_BYTES),
    auditHash: (text) => hmac.audit(text),
    headHashes(text) {
      const hash = hmac.audit(text)
      return [cover.stored(hash), ...cover.otherwise(hash)]
    },
    addressHash: (text) => hmac.address(text, SHORT_BYTES),
    placeHash: (text) => hmac.place(text, PLACE_BYTES),
    standingKey: (use) => hmac.standingKey(use),
    passingKey: (use) => ring.keys.derive(`passing/${use}`),
    signingKey: (name, now) => signing(seedOf(name, now)),
    publishedKeys(names, now) {
      const about = ring.keys.former.filter(({ until }) => now < until).flatMap(({ seeds }) => [...seeds.values()])
      const keys = [...about, ...names.map((name) => newestSeed(name))].map(signing)
      return [...new Map(keys.map((key) => [key.keyId, key])).values()]
    },
    tag: (text) => hmac.tag(text, SHORT_BYTES),

    seal(rowId, text) {
      const { keys, mark } = ring
      const key = keys.seals.get(keys.generation) as Buffer
      const sealed = encrypt(key, rowId, Buffer.from(text), randomNonce(NONCE_BYTES))
      return mark ? Buffer.concat([mark, sealed]) : sealed
    },
    open: (rowId, sealed) => opened(rowId, sealed).toString('utf8'),
    cover: {
      get generation() {
        return cover.newest
      },
      stored: (hash) => cover.stored(hash),
      otherwise: (hash) => cover.otherwise(hash),
      plain,
      knows,
      get isChanging() {
        return cover.isChanging
      },
      steady,
    },
    ring,
  }
}

/** Where a hash is made before it is cut to its length; the runtime asks for room for its longest. */
const room = new Uint8Array(64)

function hashesOf({ name }: Keys) {
  const keyed = (use: Name) => {
    // Copied for each text: to key a new one takes longer than to hash.
    const hasher = new CryptoHasher('sha256', name(use))
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

/** What stands before the 32 bytes of a private key of Ed25519 in PKCS #8, RFC 8410. */
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
