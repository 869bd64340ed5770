/** Cryptography: what needs the master secret, passwords, and random numbers. */

/** Keyed hashes and encryption, under the keys of a database, which the master secret decrypts. */
export interface Vault {
  phoneHash(identity: string): Uint8Array
  codeHash(issueId: string, code: string): Uint8Array
  /** Keyed hash of an idempotency key. */
  claimHash(key: string): Uint8Array
  fingerprint(text: string): Uint8Array
  /** Keyed hash of an audit entry and the hash before it. */
  auditHash(text: string): Uint8Array
  /** Keyed hash of an address that somebody signs in from. */
  addressHash(text: string): Uint8Array
  /** Keyed hash of a number's digits without the last four; 8 bytes. */
  prefixHash(digits: string): Uint8Array
  /** Keyed hash of the network of an address; 8 bytes. */
  networkHash(address: string): Uint8Array
  /** Derives 32 bytes for a credential that can be shown again. They stay the same when the master secret changes. */
  standingKey(use: string): Uint8Array
  /** The same, but the bytes change with the master secret. */
  passingKey(use: string): Uint8Array
  /** The signing key of that name, the same in every process on the database. */
  signingKey(name: string, now: number): SigningKey
  /**
   * Public keys to publish: those of these names, and those from before a change of the secret whose proofs are still
   * valid.
   */
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
 * The keys of one database. They are random and stored in it, each encrypted ("wrapped") for every master secret that
 * opens it. A change of the secret wraps them anew and adds an encryption key; hash keys stay, so hashed values are
 * still found.
 */
export interface KeyRing {
  /** The rows a new database stores first. */
  rows(): RingRow[]
  /** Loads the stored keys. False where this secret decrypts none of them: then nothing has changed. */
  adopt(rows: readonly RingRow[]): boolean
  /** First byte of newly sealed data: the number of the key. */
  readonly mark: Uint8Array
  /** Number of the key that seals; 0: the one that was made with the database. */
  readonly generation: number
  /** Reloads the stored keys, where they can be read synchronously. */
  look(): void
  /** `load` is called where data is sealed by a key that is not loaded yet. */
  follow(load: () => readonly RingRow[]): void
  /** Identifies a master secret without revealing it. */
  idOf(secret: Uint8Array): Uint8Array
  readonly secretId: Uint8Array
  /** Whether this is the newest master secret of the database. */
  readonly isNewest: boolean
  /** Rows that let `next` open the database as this secret does, and a new key that seals once it is begun. */
  renewed(next: Uint8Array, former: FormerSigning, now: number): RingRow[]
}

/** Keys that sign until verifiers know the next ones, and how long their proofs are valid; Unix milliseconds. */
export interface FormerSigning {
  names: readonly string[]
  signsUntil: number
  until: number
}

/** A key, encrypted under a master secret. */
export interface RingRow {
  name: string
  secretId: Uint8Array
  sealed: Uint8Array
  madeAt: number
  /** When it came into use, Unix milliseconds; undefined while servers still load it before the first one uses it. */
  begunAt: number | undefined
}

/** An Ed25519 key pair. */
export interface SigningKey {
  /** JWK thumbprint, RFC 7638. */
  keyId: string
  /** 32 bytes. */
  publicKey: Uint8Array
  sign(text: string): Uint8Array
}

/** Password hashes, argon2id. They are slow on purpose. */
export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes equally long where `hash` is undefined, so that timing does not reveal which accounts exist. */
  verify(password: string, hash: string | undefined): Promise<boolean>
  /** Whether it is on the list of the most common passwords. */
  isCommon(password: string): boolean
}

/** Source of the master secret; `setting` names it in messages. */
export type SecretSource = { setting: string } & ({ text: string } | { file: string } | { command: readonly string[] })

/** Least length of the master secret, characters. */
export const MIN_SECRET_LENGTH = 32

export interface Random {
  bytes(length: number): Uint8Array
  /** Uniform over 0 … max − 1, from a cryptographic source. */
  below(max: number): number
  /** A time-ordered UUIDv7 of that instant. */
  uuid(now: number): string
}
