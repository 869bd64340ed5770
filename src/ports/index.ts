/** Everything that an app needs from outside: `system/` and `store/` implement it, and tests have their own. */
import type { DiskUsage } from '../domain/operations/disk'
import type { Clock, Schedule } from './clock'
import type { Backups, ErasedFile } from './files'
import type { Log } from './log'
import type { Descriptors, Dial, HookTransport, Mailer, Transport } from './network'
import type { Fleet } from './node'
import type { Store } from './store'
import type { MetricsSource, Telemetry } from './telemetry'
import type { Passwords, Random, Vault } from './vault'

export interface Ports {
  clock: Clock
  random: Random
  vault: Vault
  transport: Transport
  /** To the operator's webhooks. */
  toOperator: Transport
  mailer: Mailer
  dial: Dial
  hooks: HookTransport
  descriptors: Descriptors
  passwords: Passwords
  /** Backups of the database, newest first. */
  backups: () => Backups
  /** The disk of the data folder; undefined where the database is elsewhere. Throws where it cannot be asked. */
  disk?: (() => DiskUsage) | undefined
  store: Store
  /** Only with an embedded database. */
  erasedFile?: ErasedFile | undefined
  /** Only in a cluster; `name` is shown to people. */
  fleet?: { fleet: Fleet; name: string } | undefined
  log: Log
  telemetry: Telemetry
  /** Only where the port of the API serves `/metrics`. */
  metrics?: MetricsSource | undefined
  schedule: Schedule
  /** Called when the counts of the last day have been read, which leaves much garbage. */
  warmedUp?: () => void
}
