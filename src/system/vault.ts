/**
 * Keyed hashes and sealing. Every use has a key of its own, derived by HKDF from the master secret, so that one use
 * says nothing about another. Synchronous on purpose: WebCrypto does not settle under virtual time.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  randomBytes,
  sign,
} from 'node:crypto'
import { CryptoHasher } from 'bun'
import type { SigningKey, Vault } from '../ports/vault'

const SHORT_BYTES = 16
const PLACE_BYTES = 8
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createVault(
  masterSecret: Uint8Array,
  randomNonce: (length: number) => Uint8Array = randomBytes,
): Vault {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', masterSecret, '', `watchword/${use}/v1`, 32))
  const keyed = (use: string) => {
    // Copied for each text: to key a new one takes longer than to hash.
    const hasher = new CryptoHasher('sha256', derive(use))
    return (text: string): Buffer => hasher.copy().update(text).digest()
  }
  const hmac = {
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
  const sealKey = derive('seal')
  const signingKeys = new Map<string, SigningKey>()

  return {
    phoneHash: hmac.phone,
    codeHash: (issueId, code) => hmac.code(`${issueId}:${code}`),
    claimHash: (key) => hmac.claim(key).subarray(0, SHORT_BYTES),
    fingerprint: (text) => hmac.fingerprint(text).subarray(0, SHORT_BYTES),
    auditHash: hmac.audit,
    addressHash: (text) => hmac.address(text).subarray(0, SHORT_BYTES),
    placeHash: (text) => hmac.place(text).subarray(0, PLACE_BYTES),
    standingKey: hmac.standingKey,
    signingKey(name) {
      const known = signingKeys.get(name) ?? signingKeyFrom(derive(`signing/${name}`))
      signingKeys.set(name, known)
      return known
    },
    tag: (text) => hmac.tag(text).subarray(0, SHORT_BYTES),

    seal(rowId, text) {
      const nonce = randomNonce(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', sealKey, nonce, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(rowId),
      )
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },

    open(rowId, sealed) {
      const nonce = sealed.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', sealKey, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(rowId))
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
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
