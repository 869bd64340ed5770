/** Relays. Their settings have secrets, and are sealed. */
import type { Relay } from '../domain/relays/relay'
import type { RelayReader, RelayTx } from '../ports/store/relays'
import type { Vault } from '../ports/vault'
import { inDialect } from './dialect'
import { found, type Querying, type Session } from './session'
import { statement } from './statement'

interface RelayRow {
  relayId: string
  appId: string
  settings: Uint8Array
}

export const relaySeal = (relayId: string) => `relay:${relayId}`

const relayOf = (vault: Vault, { relayId, settings }: RelayRow): Relay =>
  JSON.parse(vault.open(relaySeal(relayId), settings))

const relayRow = (vault: Vault, relay: Relay): RelayRow => ({
  relayId: relay.relayId,
  appId: relay.appId,
  settings: vault.seal(relaySeal(relay.relayId), JSON.stringify(relay)),
})

const STATEMENTS = inDialect(({ db, tables: { relays }, match, parameters, excluded }) => ({
  find: statement(() => db.select().from(relays).where(match(relays, 'relayId'))),
  ofApp: statement(() => db.select().from(relays).where(match(relays, 'appId')).orderBy(relays.relayId)),
  save: statement(() =>
    db
      .insert(relays)
      .values(parameters(relays))
      .onConflictDoUpdate({ target: relays.relayId, set: excluded(relays, ['settings']) }),
  ),
  remove: statement(() => db.delete(relays).where(match(relays, 'relayId'))),
}))

export function relayTx(tx: Session, vault: Vault): RelayTx {
  const its = STATEMENTS(tx)
  return {
    async save(relay) {
      tx.run(its.save, relayRow(vault, relay))
      tx.settingsChanged()
    },
    async remove(relayId) {
      tx.settingsChanged()
      return (await tx.change(its.remove, { relayId })) > 0
    },
  }
}

export function relayReader(reads: Querying, vault: Vault): RelayReader {
  const its = STATEMENTS(reads)
  return {
    find: async (relayId) => found(await reads.get(its.find, { relayId }), (row) => relayOf(vault, row)),
    ofApp: async (appId) => (await reads.all(its.ofApp, { appId })).map((row) => relayOf(vault, row)),
  }
}
