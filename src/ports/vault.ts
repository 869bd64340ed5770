/** What only who has the master secret can do, and passwords. */

/** Keyed hashes and sealing, all under the keys of a database, which the master secret opens. */
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
  /** The same, and another one once the master secret is changed. */
  passingKey(use: string): Uint8Array
  /** What others may check: the key of that name, the same in every process that works on the database. */
  signingKey(name: string, now: number): SigningKey
  /** What they may meet: the keys of these names, and those from before a change of the secret whose proofs are still about. */
  publishedKeys(names: readonly string[], now: number): SigningKey[]
  /** Short authentication tag, for cursors. */
  tag(text: string): Uint8Array
  /** AES-256-GCM; `rowId` is bound as associated data, so a sealed row cannot be moved. */
  seal(rowId: string, text: string): Uint8Array
  /** Throws if `sealed` was not sealed for this row by a key of the ring. */
  open(rowId: string, sealed: Uint8Array): string
  readonly ring: KeyRing
}

/**
 * The keys of one database. They are random, and stored in it, each encrypted ("wrapped") for every master secret that opens it.
 * A change of the secret wraps them anew and adds a key that seals; what is hashed is found as before.
 */
export interface KeyRing {
  /** The rows that a database without keys stores first. */
  rows(): RingRow[]
  /** Takes what the database keeps. False where this secret opens none of it: then nothing has changed. */
  adopt(rows: readonly RingRow[]): boolean
  /** How what is sealed from now on begins: one byte, the number of the key. */
  readonly mark: Uint8Array
  /** Which key seals; 0: the one that was made with the database. */
  readonly generation: number
  /** Takes what the database keeps now, where that can be asked at once. */
  look(): void
  /** Asked where something is sealed by a key that is not known yet. */
  follow(load: () => readonly RingRow[]): void
  /** Tells secrets apart. */
  idOf(secret: Uint8Array): Uint8Array
  readonly secretId: Uint8Array
  /** It is the secret that another one was changed to last. */
  readonly isNewest: boolean
  /** What the database is to keep so that `next` opens it as this secret does, and a new key that seals once it is begun. */
  renewed(next: Uint8Array, former: FormerSigning, now: number): RingRow[]
}

/** The keys that sign until whoever checks knows the next ones, and how long proofs of theirs are about; Unix milliseconds. */
export interface FormerSigning {
  names: readonly string[]
  signsUntil: number
  until: number
}

/** A key as a master secret has sealed it. */
export interface RingRow {
  name: string
  secretId: Uint8Array
  sealed: Uint8Array
  madeAt: number
  /** Undefined: every server is to know it before the first one uses it. */
  begunAt: number | undefined
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
  /** Whether it is one of those that are tried first. */
  isCommon(password: string): boolean
}

/** Where the master secret comes from; `setting` is what people are told. */
export type SecretSource = { setting: string } & ({ text: string } | { file: string } | { command: readonly string[] })

/** Characters of the master secret. */
export const MIN_SECRET_LENGTH = 32
