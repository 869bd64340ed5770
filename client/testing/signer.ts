/** Signs proofs as a service does (RFC 8037), with a key that is made when the first one is asked for. */

const KEY_NAME = 'test'

export class Signer {
  #pair: Promise<CryptoKeyPair> | undefined

  /** A JWT in its compact form; undefined where the platform cannot sign: some imitate a browser without it. */
  async sign(claims: object): Promise<string | undefined> {
    if (!globalThis.crypto?.subtle) return undefined
    const { privateKey } = await this.#keys()
    const signed = `${encoded({ alg: 'EdDSA', typ: 'JWT', kid: KEY_NAME })}.${encoded(claims)}`
    const signature = await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(signed))
    return `${signed}.${base64url(new Uint8Array(signature))}`
  }

  /** What they are checked by, as `/.well-known/jwks.json` has it. */
  async published(): Promise<{ keys: object[] }> {
    const { kty, crv, x } = await crypto.subtle.exportKey('jwk', (await this.#keys()).publicKey)
    return { keys: [{ kty, crv, x, use: 'sig', alg: 'EdDSA', kid: KEY_NAME }] }
  }

  #keys(): Promise<CryptoKeyPair> {
    this.#pair ??= crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']) as Promise<CryptoKeyPair>
    return this.#pair
  }
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const encoded = (part: object): string => base64url(new TextEncoder().encode(JSON.stringify(part)))
