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
  /** Of where the audit log ends: by the newest key first; the others are met while the secret is changed. */
  headHashes(text: string): readonly [newest: Uint8Array, ...others: Uint8Array[]]
  /** Of where a code goes or is asked from: the first digits of a number, a network. 8 bytes. */
  placeHash(text: string): Uint8Array
  /** 32 bytes that a key is written from which can be shown again. */
  standingKey(use: string): Uint8Array
  /** The same, and another one once the master secret is changed. */
  passingKey(use: string): Uint8Array
  /** What others may check: the key of that name, the same in every process that has the master secret. */
  signingKey(name: string, now: number): SigningKey
  /** What they may meet: the keys of these names, and those of former master secrets whose proofs are still about. */
  publishedKeys(names: readonly string[], now: number): SigningKey[]
  /** Short authentication tag, for cursors. */
  tag(text: string): Uint8Array
  /** AES-256-GCM; `rowId` is bound as associated data, so a sealed row cannot be moved. */
  seal(rowId: string, text: string): Uint8Array
  /** Throws if `sealed` was not sealed for this row with this secret. */
  open(rowId: string, sealed: Uint8Array): string
  readonly cover: HashCover
  readonly ring: KeyRing
}

/**
 * How hashes are stored once the master secret was changed: encrypted, by a key that is of no secret before. Whoever has an old
 * secret can make every hash, and cannot tell whether it is stored. Equal hashes are stored alike, by which they are found.
 */
export interface HashCover {
  /** Which key encrypts what is stored from now on; 0: none. */
  readonly generation: number
  /** As it is stored from now on. No hash, which has no bytes, stays none. */
  stored(hash: Uint8Array): Uint8Array
  /** How else it may be stored: nothing, but while the secret is being changed. */
  otherwise(hash: Uint8Array): Uint8Array[]
  /** The hash of so many bytes that is stored so. Where the key is not known, what no hash is equal to. */
  plain(stored: Uint8Array, generation: number, length: number): Uint8Array
  /** What is stored by this key can be told. */
  knows(generation: number): boolean
  /** Some hashes may still be stored otherwise. */
  readonly isChanging: boolean
  /** As it is now, for a unit: whoever heard of a new key in the middle of it would not find what it has just brought along. */
  steady(): HashCover
}

/**
 * The keys of one database. Those of one whose master secret was never changed follow from that. Otherwise it keeps them, each
 * sealed for every secret that opens it: what is hashed stays findable, and what is sealed is sealed anew under a key that is
 * of no secret before.
 */
export interface KeyRing {
  /** Takes what the database keeps. False where this secret opens none of it: then nothing has changed. */
  adopt(rows: readonly RingRow[]): boolean
  /** How what is sealed from now on begins; undefined where the secret was never changed. */
  readonly mark: Uint8Array | undefined
  /** Which key seals; 0: the one that follows from the first secret. */
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
}

/** Where the master secret comes from; `setting` is what people are told. */
export type SecretSource = { setting: string } & ({ text: string } | { file: string } | { command: readonly string[] })

/** Characters of the master secret. */
export const MIN_SECRET_LENGTH = 32
