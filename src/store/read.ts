/** The port's `Reader` and `Lists` over reads of either database. */
import type { Lists, Reader } from '../ports/store'
import { adminReader } from './admin'
import { appReader, challengeReader, keyReader, templateReader } from './apps'
import { attemptReader } from './attempts'
import { auditReader, type SealedStore } from './audit'
import { carrierReader, routeReader } from './carriers'
import { clockSetBackMs } from './clock'
import { installation } from './facts'
import { issueReader } from './issues'
import { jobReader } from './jobs'
import { keyRingReader } from './key-ring'
import { noticeReader } from './notices'
import { invitationReader, peopleReader, sessionReader } from './people'
import { phoneReader } from './phones'
import { relayReader } from './relays'
import { priceReader } from './reports'
import type { Reads } from './session'
import { trafficLists, trafficReader } from './traffic'
import { usageReader } from './usage'
import { walletReader } from './wallets'
import { endpointReader, hookReader } from './webhooks'

/** What each database knows of itself. */
export type OwnReads = Pick<Reader, 'settingsVersion' | 'nodes' | 'size'>

export const createReader = (reads: Reads, { vault, headFile }: SealedStore, own: OwnReads): Reader => ({
  ...own,
  issues: issueReader(reads),
  jobs: jobReader(reads),
  attempts: attemptReader(reads),
  wallets: walletReader(reads),
  endpoints: endpointReader(reads, vault),
  hooks: hookReader(reads, vault),
  apps: appReader(reads),
  challenges: challengeReader(reads, vault),
  relays: relayReader(reads, vault),
  keys: keyReader(reads),
  templates: templateReader(reads),
  carriers: carrierReader(reads, vault),
  routes: routeReader(reads),
  people: peopleReader(reads, vault),
  sessions: sessionReader(reads, vault),
  invitations: invitationReader(reads),
  admin: adminReader(reads, vault),
  audit: auditReader(reads, { vault, headFile }),
  prices: priceReader(reads),
  traffic: trafficReader(reads, vault),
  notices: noticeReader(reads, vault),
  phones: phoneReader(reads, vault),
  keyRing: keyRingReader(reads, vault),
  installation: () => installation(reads),
  clockSetBackMs: (since) => clockSetBackMs(reads, since),
})

export const createLists = (reads: Reads, deps: SealedStore, elapsed: () => number): Lists => ({
  issues: issueReader(reads),
  wallets: walletReader(reads),
  hooks: hookReader(reads, deps.vault),
  audit: auditReader(reads, deps),
  usage: usageReader(reads, elapsed),
  traffic: trafficLists(reads),
})
