/**
 * The audit log of operators. Its head is also stored apart from the entries, so that removed newest entries are
 * noticed.
 */

/** One change by an operator. */
export interface AuditEntry {
  /** From 1, without gaps. */
  readonly seq: number
  readonly at: number
  readonly actor: string
  readonly ip: string | undefined
  /** Name of the action, for example `key.create`. */
  readonly action: string
  readonly target: string
  /** Changed values; never a secret. */
  readonly detail: Readonly<Record<string, unknown>>
  readonly hash: Uint8Array
}

export interface AuditHead {
  readonly seq: number
  /** Hash of the newest entry. */
  readonly hash: Uint8Array
}

/** A keyed hash. */
type Seal = (text: string) => Uint8Array

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

/** The head as one line, authenticated with the key. */
export function writeHead({ seq, hash }: AuditHead, seal: Seal): string {
  const head = `${seq} ${hex(hash)}`
  return `${head} ${hex(seal(`head ${head}`))}`
}

/** Undefined where the line was not written with this key. */
export function readHead(text: string, seal: Seal): AuditHead | undefined {
  const [, seq, hash, written] = /^(\d{1,15}) ([0-9a-f]{64}) ([0-9a-f]{64})$/.exec(text.trim()) ?? []
  if (seq === undefined || hash === undefined) return undefined
  return hex(seal(`head ${Number(seq)} ${hash}`)) === written
    ? { seq: Number(seq), hash: Buffer.from(hash, 'hex') }
    : undefined
}
