/** Reads of committed data, on a connection of their own, so that they never wait for a writer. */
import type { Database } from 'bun:sqlite'
import type { HeadFile, Reader, Vault } from '../../ports'
import { createAttemptReader } from './attempts'
import { createAuditReader } from './audit'
import { createConfigurationReader } from './configuration'
import { createConsoleReader } from './console'
import { createIssueReader } from './issues'
import { createJobReader } from './jobs'
import { createUsageReader } from './usage'
import { createWalletReader } from './wallets'
import { createWebhookReader } from './webhooks'

export interface ReadOptions {
  vault: Vault
  headFile: HeadFile | undefined
  configurationVersion: () => string
  /** Milliseconds of a clock that only goes forward. */
  elapsed: () => number
}

export function createReader(
  connection: Database,
  { vault, headFile, configurationVersion, elapsed }: ReadOptions,
): Reader {
  return {
    ...createIssueReader(connection),
    ...createAttemptReader(connection),
    ...createWalletReader(connection),
    ...createJobReader(connection),
    ...createConfigurationReader(connection, vault),
    ...createWebhookReader(connection, vault),
    ...createConsoleReader(connection, vault),
    ...createAuditReader(connection, vault, headFile),
    ...createUsageReader(connection, elapsed),
    configurationVersion,
  }
}
