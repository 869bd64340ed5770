/**
 * Prove: what a verification leaves in the hands of who made it, for a backend that was not there. Nothing of it is stored.
 * Decisions: "Proof of verification".
 */
import {
  type ProofSettings,
  type Proven,
  proofClaims,
  publishedKeyNames,
  signingKeyName,
} from '../domain/verification/proof'
import type { Clock } from '../ports/clock'
import type { Vault } from '../ports/vault'

export interface ProvingDependencies {
  vault: Vault
  proofs: ProofSettings
}

/** A JWT in its compact form (RFC 7515), signed with Ed25519 (RFC 8037). */
export function prove({ vault, proofs }: ProvingDependencies, proven: Proven): string {
  const key = vault.signingKey(signingKeyName(proven.at), proven.at)
  const head = { alg: 'EdDSA', typ: 'JWT', kid: key.keyId }
  const signed = `${encoded(head)}.${encoded(proofClaims(proven, proofs))}`
  return `${signed}.${base64url(key.sign(signed))}`
}

const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
const encoded = (part: object) => base64url(Buffer.from(JSON.stringify(part)))

/** A public key that checks proofs (RFC 7517). */
export interface PublishedKey {
  kty: 'OKP'
  crv: 'Ed25519'
  use: 'sig'
  alg: 'EdDSA'
  kid: string
  x: string
}

export function publishedKeys({ vault, clock }: { vault: Vault; clock: Pick<Clock, 'now'> }): { keys: PublishedKey[] } {
  const now = clock.now()
  return {
    keys: vault.publishedKeys(publishedKeyNames(now), now).map(({ keyId: kid, publicKey }) => ({
      ...{ kty: 'OKP', crv: 'Ed25519', use: 'sig', alg: 'EdDSA', kid },
      x: base64url(publicKey),
    })),
  }
}
