/** Relays, by which other platforms hand over codes. */
import type { Relay } from '../../domain/relays/relay'

export interface RelayTx {
  save(relay: Relay): Promise<void>
  /** False where there was no such row. */
  remove(relayId: string): Promise<boolean>
}

export interface RelayReader {
  find(relayId: string): Promise<Relay | undefined>
  ofApp(appId: string): Promise<Relay[]>
}
