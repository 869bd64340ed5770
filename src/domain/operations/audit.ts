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

/** A keyed hash. */
type Seal = (text: string) => Uint8Array

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** One line; nobody can make one of another entry without the key. */
export function writeHead({ seq, hash }: AuditHead, seal: Seal): string {
  const head = `${seq} ${hex(hash)}`
  return `${head} ${hex(seal(`head ${head}`))}`
}

/** Undefined for what was not written with this key. */
export function readHead(text: string, seal: Seal): AuditHead | undefined {
  const [, seq, hash, written] = /^(\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64})$/.exec(text.trim()) ?? []
  if (seq === undefined || hash === undefined) return undefined
  return hex(seal(`head ${Number(seq)} ${hash}`)) === written
    ? { seq: Number(seq), hash: Buffer.from(hash, 'hex') }
    : undefined
}
