/** The log of what operators change; and where it ends, written down in places that do not go with its entries: then it shows when the newest are gone. */

/** One change an operator made. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly seq: number
  readonly at: number
  readonly actor: string
  readonly ip: string | undefined
  /** For example `key.create`. */
  readonly action: string
  readonly target: string
  /** Never a secret. */
  readonly detail: Readonly<Record<string, unknown>>
  readonly hash: Uint8Array
}

export interface AuditHead {
  readonly seq: number
  /** Of the newest entry. */
  readonly hash: Uint8Array
}

/** Keyed hashes: by the newest key first; the others are met while keys are changed. */
type Seals = (text: string) => readonly [newest: Uint8Array, ...others: Uint8Array[]]

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** One line; nobody can make one of another entry without the key. */
export function writeHead({ seq, hash }: AuditHead, seals: Seals): string {
  const head = `${seq} ${hex(hash)}`
  return `${head} ${hex(seals(`head ${head}`)[0])}`
}

/** Undefined for what was written with none of these keys. */
export function readHead(text: string, seals: Seals): AuditHead | undefined {
  const [, seq, hash, seal] = /^(\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64})$/.exec(text.trim()) ?? []
  if (seq === undefined || hash === undefined) return undefined
  const isKnown = seals(`head ${Number(seq)} ${hash}`).some((one) => hex(one) === seal)
  return isKnown ? { seq: Number(seq), hash: Buffer.from(hash, 'hex') } : undefined
}
