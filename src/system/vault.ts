/**
 * Keyed hashes and sealing. Every use has a key of its own, derived by HKDF from the master secret, so that one use
 * says nothing about another. `node:crypto` is synchronous on purpose: WebCrypto does not settle under virtual time.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import type { Vault } from '../ports'

const SHORT_BYTES = 16
const NONCE_BYTES = 12
const TAG_BYTES = 16

export function createVault(
  masterSecret: Uint8Array,
  randomNonce: (length: number) => Uint8Array = randomBytes,
): Vault {
  const derive = (use: string) => Buffer.from(hkdfSync('sha256', masterSecret, '', `watchword/${use}/v1`, 32))
  const keys = {
    phone: derive('phone'),
    code: derive('code'),
    claim: derive('claim'),
    fingerprint: derive('fingerprint'),
    tag: derive('tag'),
    seal: derive('seal'),
    audit: derive('audit'),
  }
  const hmac = (key: Uint8Array, text: string) => createHmac('sha256', key).update(text).digest()

  return {
    phoneHash: (identity) => hmac(keys.phone, identity),
    codeHash: (issueId, code) => hmac(keys.code, `${issueId}:${code}`),
    claimHash: (key) => hmac(keys.claim, key).subarray(0, SHORT_BYTES),
    fingerprint: (text) => hmac(keys.fingerprint, text).subarray(0, SHORT_BYTES),
    auditHash: (text) => hmac(keys.audit, text),
    tag: (text) => hmac(keys.tag, text).subarray(0, SHORT_BYTES),

    seal(rowId, text) {
      const nonce = randomNonce(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keys.seal, nonce, { authTagLength: TAG_BYTES }).setAAD(
        Buffer.from(rowId),
      )
      return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
    },

    open(rowId, sealed) {
      const nonce = sealed.subarray(0, NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', keys.seal, nonce, { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(rowId))
        .setAuthTag(sealed.subarray(-TAG_BYTES))
      return decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}
