/**
 * Hashes as they are stored: encrypted by a key of the ring, each block for itself. That is safe for what is a hash, which is
 * as good as random, and has equal ones be stored alike. Those of a first secret are stored as they are.
 */
import { createCipheriv, createDecipheriv } from 'node:crypto'

const ALGORITHM = 'aes-256-ecb'
const BLOCK_BYTES = 16

/** By one key. Whole blocks come out as they go in, so that a cipher does for all hashes. */
class Key {
  readonly #cipher
  readonly #decipher

  constructor(key: Uint8Array) {
    this.#cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false)
    this.#decipher = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false)
  }

  encrypt(hash: Uint8Array): Uint8Array {
    const blocks = Buffer.alloc(Math.ceil(hash.length / BLOCK_BYTES) * BLOCK_BYTES)
    blocks.set(hash)
    return this.#cipher.update(blocks)
  }

  decrypt(stored: Uint8Array, length: number): Uint8Array {
    return new Uint8Array(this.#decipher.update(stored)).subarray(0, length)
  }
}

/** What stores hashes as they are. */
const NONE: Pick<Key, 'encrypt' | 'decrypt'> = { encrypt: (hash) => hash, decrypt: (hash) => hash }

/** `keys` by their generation; under 0 hashes are stored as they are. `newest` is one of them. */
export class Cover {
  readonly isChanging: boolean
  readonly #keys: ReadonlyMap<number, typeof NONE>
  readonly #newest: typeof NONE
  readonly #others: ReadonlyArray<typeof NONE>

  constructor(
    keys: ReadonlyMap<number, Uint8Array>,
    readonly newest: number,
  ) {
    this.#keys = new Map([...keys].map(([generation, key]) => [generation, generation === 0 ? NONE : new Key(key)]))
    this.#newest = this.#keys.get(newest) ?? NONE
    this.#others = [...this.#keys].filter(([generation]) => generation !== newest).map(([, key]) => key)
    this.isChanging = this.#others.length > 0
  }

  /** No hash stays none. */
  stored(hash: Uint8Array): Uint8Array {
    return this.#newest.encrypt(hash)
  }

  otherwise(hash: Uint8Array): Uint8Array[] {
    return this.#others.map((key) => key.encrypt(hash))
  }

  knows(generation: number): boolean {
    return this.#keys.has(generation)
  }

  plain(stored: Uint8Array, generation: number, length: number): Uint8Array {
    const key = this.#keys.get(generation)
    if (stored.length === 0) return stored
    return key ? key.decrypt(stored, length) : new Uint8Array(length)
  }
}
