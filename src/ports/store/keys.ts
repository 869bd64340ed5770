/** API keys. */
import type { Allowance, StoredKey } from '../../domain/access/api-key'

export interface KeyTx {
  /** Of an app that is locked, also those that have ended. */
  ofApp(appId: string): Promise<StoredKey[]>
  lock(keyId: string): Promise<StoredKey | undefined>
  add(key: StoredKey): Promise<void>
  revoke(keyId: string, at: number): Promise<void>
  expire(keyId: string, at: number): Promise<void>
  /** What a live browser key may do beyond the usual. */
  allow(keyId: string, allows: readonly Allowance[]): Promise<void>
  /** When keys were last used. */
  touch(usedAt: ReadonlyMap<string, number>): Promise<void>
}

export interface KeyReader {
  /** Not of a removed app. */
  findByHash(hash: Uint8Array): Promise<StoredKey | undefined>
  find(keyId: string): Promise<StoredKey | undefined>
  ofApp(appId: string): Promise<StoredKey[]>
  /** Every origin a public key lists, and when the last of these keys ends. */
  publicOrigins(): Promise<Map<string, number>>
}
