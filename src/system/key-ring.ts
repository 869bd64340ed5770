/**
 * The keys of a database: `names` under which things are found, of the first secret and for as long as there is one; `seal N`
 * and `root N` of each secret after it; `signing N`, what signed before. All but the last are 32 random bytes each.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
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

/** Under these things are found, for good; what is stored of it is encrypted by the newest root (`cover.ts`). */
const NAMES = ['phone', 'code', 'claim', 'fingerprint', 'tag', 'audit', 'address', 'place', 'standing-key'] as const
export type Name = (typeof NAMES)[number]

/** What the keys of a database are at a time. */
export interface Keys {
  /** The root that is used; 0: the first secret. */
  generation: number
  name(use: Name): Buffer
  /** Of what begins anew with each secret. */
  derive(use: string): Buffer
  seals: ReadonlyMap<number, Buffer>
  /** By which hashes are stored, but under 0. */
  covers: ReadonlyMap<number, Buffer>
  /** The oldest first. */
  former: ReadonlyArray<{ signsUntil: number; until: number; seeds: ReadonlyMap<string, Buffer> }>
}

/** A key of the ring that is opened. */
interface Kept {
  content: Buffer
  madeAt: number
  begunAt: number | undefined
}

type Opened = ReadonlyMap<string, Kept>

const json = (value: unknown) => Buffer.from(JSON.stringify(value))
const base64 = (key: Uint8Array) => Buffer.from(key).toString('base64')
const keyIn = (text: string | undefined) => Buffer.from(text ?? '', 'base64')

/** Of a database that keeps no keys: all of them follow from its one secret. */
const firstOf = (secret: Uint8Array): Opened =>
  new Map(
    Object.entries({
      names: json(Object.fromEntries(NAMES.map((use) => [use, base64(deriveFrom(secret, use))]))),
      'root 0': Buffer.from(secret),
    }).map(([name, content]) => [name, { content, madeAt: 0, begunAt: 0 }]),
  )

interface SigningContent {
  signsUntil: number
  until: number
  seeds: Record<string, string>
}

const called = (opened: Opened, kind: string) =>
  [...opened]
    .filter(([name]) => name.startsWith(`${kind} `))
    .map(([name, kept]) => ({ number: Number(name.split(' ')[1]), ...kept }))

function keysIn(opened: Opened): Keys {
  const names: Record<string, string> = JSON.parse(String(opened.get('names')?.content))
  const roots = called(opened, 'root')
  const generation = Math.max(...roots.filter(({ begunAt }) => begunAt !== undefined).map(({ number }) => number))
  const root = opened.get(`root ${generation}`)?.content ?? Buffer.alloc(0)
  return {
    generation,
    name: (use) => keyIn(names[use]),
    derive: (use) => deriveFrom(root, use),
    seals: new Map(roots.map(({ number, content }) => [number, deriveFrom(content, 'seal')])),
    covers: new Map(roots.map(({ number, content }) => [number, deriveFrom(content, 'cover')])),
    former: called(opened, 'signing')
      .sort((one, other) => one.number - other.number)
      .map(({ content }) => {
        const { seeds, ...times }: SigningContent = JSON.parse(content.toString())
        return { ...times, seeds: new Map(Object.entries(seeds).map(([name, seed]) => [name, keyIn(seed)])) }
      }),
  }
}

/** How what is sealed begins, but for the first seal's, which is a nonce alone; as that may begin so by chance, it is tried, too. */
const MARK = Buffer.from('wsk')
const MARK_BYTES = MARK.length + 1
const MOST_GENERATIONS = 255

const markOf = (generation: number) => Buffer.concat([MARK, Buffer.of(generation)])

/** Which seal it says to be under. */
export const markedIn = (sealed: Uint8Array): number | undefined =>
  MARK.equals(sealed.subarray(0, MARK.length)) ? sealed[MARK.length] : undefined

export const withoutMark = (sealed: Uint8Array) => sealed.subarray(MARK_BYTES)

const idOf = (secret: Uint8Array): Buffer => deriveFrom(secret, 'secret-id').subarray(0, ID_BYTES)

/** Of the secret that others were changed to, and of no other one. */
const NEWEST = 'newest'

/** `again`: where the secret may have changed meanwhile. `adopted` is told when the keys have. */
export class Ring implements KeyRing {
  #secret: Uint8Array
  #secretId: Buffer
  #opened: Opened
  #keys: Keys
  #load: (() => readonly RingRow[]) | undefined

  constructor(
    secret: Uint8Array,
    private readonly options: { again?: (() => Uint8Array) | undefined; adopted: (keys: Keys) => void },
  ) {
    this.#secret = secret
    this.#secretId = idOf(secret)
    this.#opened = firstOf(secret)
    this.#keys = keysIn(this.#opened)
    options.adopted(this.#keys)
  }

  get keys(): Keys {
    return this.#keys
  }

  get generation(): number {
    return this.#keys.generation
  }

  get mark(): Uint8Array | undefined {
    return this.generation === 0 ? undefined : markOf(this.generation)
  }

  get secretId(): Uint8Array {
    return this.#secretId
  }

  readonly idOf = idOf

  adopt(rows: readonly RingRow[]): boolean {
    if (rows.length === 0) return this.#take(firstOf(this.#secret))
    const secret = this.#isIn(rows, this.#secret) ? this.#secret : this.#again()
    if (!secret || !this.#isIn(rows, secret)) return false
    this.#secret = secret
    this.#secretId = idOf(secret)
    const key = deriveFrom(this.#secret, 'ring')
    const own = rows.filter(({ secretId }) => this.#secretId.equals(secretId))
    return this.#take(
      new Map(
        own.map(({ name, sealed, madeAt, begunAt }) => [
          name,
          { content: decrypt(key, boundTo(name), sealed), madeAt, begunAt },
        ]),
      ),
    )
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
    if (generation > MOST_GENERATIONS) throw new Error('The master secret cannot be changed more often')
    const seeds = Object.fromEntries(names.map((name) => [name, base64(this.#keys.derive(`signing/${name}`))]))
    const added: Opened = new Map([
      [`root ${generation}`, { content: randomBytes(KEY_BYTES), madeAt: now, begunAt: undefined }],
      [
        `signing ${generation}`,
        { content: json({ ...times, seeds } satisfies SigningContent), madeAt: now, begunAt: now },
      ],
    ])
    const shared = new Map([...this.#opened, ...added])
    shared.delete(NEWEST)
    const newest: Kept = { content: Buffer.alloc(0), madeAt: now, begunAt: now }
    return [...sealedFor(this.#secret, shared), ...sealedFor(next, new Map([...shared, [NEWEST, newest]]))]
  }

  #isIn(rows: readonly RingRow[], secret: Uint8Array | undefined): boolean {
    const id = secret && idOf(secret)
    return rows.some(({ secretId }) => id?.equals(secretId))
  }

  /** What cannot be read now opens nothing. */
  readonly #again = (): Uint8Array | undefined => {
    try {
      return this.options.again?.()
    } catch {
      return undefined
    }
  }

  #take(opened: Opened): true {
    this.#opened = opened
    this.#keys = keysIn(opened)
    this.options.adopted(this.#keys)
    return true
  }
}

function sealedFor(secret: Uint8Array, opened: Opened): RingRow[] {
  const [key, secretId] = [deriveFrom(secret, 'ring'), idOf(secret)]
  return [...opened].map(([name, { content, madeAt, begunAt }]) => ({
    ...{ name, secretId, madeAt, begunAt },
    sealed: encrypt(key, boundTo(name), content, randomBytes(NONCE_BYTES)),
  }))
}

const boundTo = (name: string) => `key_ring:${name}`
