import type { Database } from 'bun:sqlite'
import type { createVault } from '../../src/system/vault'
import type { IssueInput } from './inputs'

/** What the floor does, whatever its tables. Every method but the reads is called inside a transaction. */
export interface Tables {
  db: Database
  issue(input: IssueInput): object
  verify(issueId: string, code: string): object
  status(issueId: string): object
  list(limit: number): object
}

export type Vault = ReturnType<typeof createVault>

export type OpenIn<T> = (dir: string, appId: string, vault: Vault) => T
export type OpenTables = OpenIn<Tables>

export const LIFETIME_MS = 180_000
export const MAX_ATTEMPTS = 5

export const idBytes = (id: string) => Buffer.from(id.replaceAll('-', ''), 'hex')

export function idText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export const newCode = () =>
  String(crypto.getRandomValues(new Uint32Array(1))[0] as number)
    .slice(-6)
    .padStart(6, '0')
