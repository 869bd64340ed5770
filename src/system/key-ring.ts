/**
 * The keys of a database. They are random, made with the database, and stored in it encrypted ("wrapped") by a key that is derived
 * from the master secret. A change of the secret wraps them again and adds a new key for sealing. The hash key never changes.
 *
 * The ring holds `data` (hashes), `root N` (seals and signs; the newest is used) and `signing N` (signing keys before root N).
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { FormerSigning, KeyRing, RingRow } from '../ports/vault'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const ID_BYTES = 16
const KEY_BYTES = 32

export const deriveFrom = (secret: Uint8Array, use: string): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', `watchword/${use}/v1`, KEY_BYTES))

export function encrypt(key: Uint8Array, bound: string, text: Uint8Array, nonce: Uint8Array): Buffer {
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(bound))
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** Throws if it was not encrypted with this key, bound to this. */
export function decrypt(key: Uint8Array, bound: string, sealed: Uint8Array): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(bound))
    .setAuthTag(sealed.subarray(-TAG_BYTES))
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
}

/** The keys of a database at one time. */
export interface Keys {
  /** The number of the root in use. */
  generation: number
  /** The key of all hashes; it never changes. */
  data: Buffer
  roots: ReadonlyMap<number, Buffer>
  /** Former signing keys, the oldest first. */
  former: ReadonlyArray<{ signsUntil: number; until: number; seeds: ReadonlyMap<string, Buffer> }>
}

/** An unwrapped key of the ring. */
interface Kept {
  content: Buffer
  madeAt: number
  begunAt: number | undefined
}

type OpenedKeys = ReadonlyMap<string, Kept>

const json = (value: unknown) => Buffer.from(JSON.stringify(value))

interface SigningContent {
  signsUntil: number
  until: number
  seeds: Record<string, string>
}

const called = (opened: OpenedKeys, kind: string) =>
  [...opened]
    .filter(([name]) => name.startsWith(`${kind} `))
    .map(([name, kept]) => ({ number: Number(name.split(' ')[1]), ...kept }))

function keysIn(opened: OpenedKeys): Keys {
  const roots = called(opened, 'root')
  return {
    generation: Math.max(...roots.filter(({ begunAt }) => begunAt !== undefined).map(({ number }) => number)),
    data: opened.get('data')?.content ?? Buffer.alloc(0),
    roots: new Map(roots.map(({ number, content }) => [number, content])),
    former: called(opened, 'signing')
      .sort((one, other) => one.number - other.number)
      .map(({ content }) => {
        const { seeds, ...times }: SigningContent = JSON.parse(content.toString())
        const entries = Object.entries(seeds).map(([name, seed]) => [name, Buffer.from(seed, 'base64')] as const)
        return { ...times, seeds: new Map(entries) }
      }),
  }
}

/** A sealed text begins with the number of its root, in one byte. */
const LAST_GENERATION = 255

const idOf = (secret: Uint8Array): Buffer => deriveFrom(secret, 'secret-id').subarray(0, ID_BYTES)

/** This entry exists only for the secret that the others were changed to. */
const NEWEST = 'newest'

export interface RingOptions {
  randomBytes: (length: number) => Uint8Array
  /** Reads the secret again, where it may have changed meanwhile. */
  again?: (() => Uint8Array) | undefined
  /** Called when the keys have changed. */
  adopted: (keys: Keys) => void
}

export class Ring implements KeyRing {
  #secret: Uint8Array
  #secretId: Buffer
  #opened: OpenedKeys
  #keys: Keys
  #load: (() => readonly RingRow[]) | undefined

  /** Starts with new keys, for a database that is about to be created. */
  constructor(
    secret: Uint8Array,
    private readonly options: RingOptions,
  ) {
    this.#secret = secret
    this.#secretId = idOf(secret)
    const isNew = () => ({ content: Buffer.from(options.randomBytes(KEY_BYTES)), madeAt: 0, begunAt: 0 })
    this.#opened = new Map([
      ['data', isNew()],
      ['root 0', isNew()],
    ])
    this.#keys = keysIn(this.#opened)
    options.adopted(this.#keys)
  }

  get keys(): Keys {
    return this.#keys
  }

  get generation(): number {
    return this.#keys.generation
  }

  get mark(): Uint8Array {
    return Buffer.of(this.generation)
  }

  get secretId(): Uint8Array {
    return this.#secretId
  }

  readonly idOf = idOf

  rows(): RingRow[] {
    return this.#wrapped(this.#secret, this.#opened)
  }

  adopt(rows: readonly RingRow[]): boolean {
    const secret = this.#isIn(rows, this.#secret) ? this.#secret : this.#again()
    if (!secret || !this.#isIn(rows, secret)) return false
    this.#secret = secret
    this.#secretId = idOf(secret)
    const key = deriveFrom(this.#secret, 'ring')
    const own = rows.filter(({ secretId }) => this.#secretId.equals(secretId))
    this.#opened = new Map(
      own.map(({ name, sealed, madeAt, begunAt }) => [
        name,
        { content: decrypt(key, boundTo(name), sealed), madeAt, begunAt },
      ]),
    )
    this.#keys = keysIn(this.#opened)
    this.options.adopted(this.#keys)
    return true
  }

  follow(load: () => readonly RingRow[]): void {
    this.#load = load
  }

  look(): void {
    if (this.#load) this.adopt(this.#load())
  }

  get isNewest(): boolean {
    return this.#opened.has(NEWEST)
  }

  renewed(next: Uint8Array, { names, ...times }: FormerSigning, now: number): RingRow[] {
    const generation = this.generation + 1
    if (generation > LAST_GENERATION) throw new Error('The master secret cannot be changed more often')
    const seeds = Object.fromEntries(names.map((name) => [name, signingSeed(this.#keys, name).toString('base64')]))
    const added: OpenedKeys = new Map([
      [
        `root ${generation}`,
        { content: Buffer.from(this.options.randomBytes(KEY_BYTES)), madeAt: now, begunAt: undefined },
      ],
      [
        `signing ${generation}`,
        { content: json({ ...times, seeds } satisfies SigningContent), madeAt: now, begunAt: now },
      ],
    ])
    const shared = new Map([...this.#opened, ...added])
    shared.delete(NEWEST)
    const newest: Kept = { content: Buffer.alloc(0), madeAt: now, begunAt: now }
    return [...this.#wrapped(this.#secret, shared), ...this.#wrapped(next, new Map([...shared, [NEWEST, newest]]))]
  }

  #isIn(rows: readonly RingRow[], secret: Uint8Array | undefined): boolean {
    const id = secret && idOf(secret)
    return rows.some(({ secretId }) => id?.equals(secretId))
  }

  /** A secret that cannot be read now is ignored. */
  readonly #again = (): Uint8Array | undefined => {
    try {
      return this.options.again?.()
    } catch {
      return undefined
    }
  }

  #wrapped(secret: Uint8Array, opened: OpenedKeys): RingRow[] {
    const [key, secretId] = [deriveFrom(secret, 'ring'), idOf(secret)]
    return [...opened].map(([name, { content, madeAt, begunAt }]) => ({
      ...{ name, secretId, madeAt, begunAt },
      sealed: encrypt(key, boundTo(name), content, this.options.randomBytes(NONCE_BYTES)),
    }))
  }
}

/** The seed of the signing key of that name, derived from the root in use. */
export const signingSeed = ({ roots, generation }: Keys, name: string): Buffer =>
  deriveFrom(roots.get(generation) ?? Buffer.alloc(0), `signing/${name}`)

const boundTo = (name: string) => `key_ring:${name}`
