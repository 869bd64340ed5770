/** What only who has the master secret can do, and passwords. */

/** Keyed hashes and sealing, all under keys derived from the master secret. */
export interface Vault {
  phoneHash(identity: string): Uint8Array
  codeHash(issueId: string, code: string): Uint8Array
  /** Of an idempotency key. */
  claimHash(key: string): Uint8Array
  fingerprint(text: string): Uint8Array
  /** Of an entry of the audit log and the hash before it. */
  auditHash(text: string): Uint8Array
  /** Of an address somebody signs in from. */
  addressHash(text: string): Uint8Array
  /** Of where a code goes or is asked from: the first digits of a number, a network. 8 bytes. */
  placeHash(text: string): Uint8Array
  /** 32 bytes that a key is written from which can be shown again. */
  standingKey(use: string): Uint8Array
  /** What others may check: the key of that name, the same in every process that has the master secret. */
  signingKey(name: string): SigningKey
  /** Short authentication tag, for cursors. */
  tag(text: string): Uint8Array
  /** AES-256-GCM; `rowId` is bound as associated data, so a sealed row cannot be moved. */
  seal(rowId: string, text: string): Uint8Array
  /** Throws if `sealed` was not sealed for this row with this secret. */
  open(rowId: string, sealed: Uint8Array): string
}

/** A pair of keys, Ed25519. */
export interface SigningKey {
  /** Its thumbprint, RFC 7638. */
  keyId: string
  /** 32 bytes. */
  publicKey: Uint8Array
  sign(text: string): Uint8Array
}

/** argon2id; slow on purpose. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** In constant time; also where `hash` is undefined, so that nobody learns by the time which accounts exist. */
  verify(password: string, hash: string | undefined): Promise<boolean>
}

/** Where the master secret comes from; `setting` is what people are told. */
export type SecretSource = { setting: string } & ({ text: string } | { file: string } | { command: readonly string[] })

/** Characters of the master secret. */
export const MIN_SECRET_LENGTH = 32
