/**
 * Tell all that is stored of one phone, for who asks for data about themselves. A page at a time: it may be much. Codes are
 * not told, nor what is the operator's: secrets, and of receivers of webhooks more than their host. The format is written
 * down in docs/privacy.md.
 */

import { protectionOf } from '../abuse/rules/protection'
import type { App } from '../domain/access/app'
import type { RenderedMessage } from '../domain/message/rendered-message'
import type { Numbering } from '../domain/phone/phone'
import { invalid } from '../domain/shared/error'
import { DAY_MS } from '../domain/shared/value'
import { shownMessage } from '../domain/verification/issue'
import type { Stored } from '../domain/verification/verification'
import type { Clock } from '../ports/clock'
import type { Store } from '../ports/store'
import { existingApp } from './administer/shared'
import { type PhoneSought, seekPhone, shownHash } from './shared/phone'
import { type AuditDependencies, writeAudit } from './shared/write-audit'

export interface ExportDependencies extends AuditDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  numbering: Numbering
  idempotencyDays: number
}

export interface ExportRequest {
  phoneNumber: string
  appId?: string | undefined
  /** `next` of the page before. */
  after?: string | undefined
}

const EXPORT_FORMAT = 'watchword-phone-export'
const EXPORT_VERSION = 1

type ExportedFields = Record<string, unknown>

/** The beginning of the export. */
export interface ExportHead {
  format: typeof EXPORT_FORMAT
  version: typeof EXPORT_VERSION
  exportedAt: string
  /** E.164. */
  phoneNumber: string
  storedAs: string[]
  /** Channels that did not reach it lately, if any. */
  absentFrom?: string[]
  apps: ExportedFields[]
}

export interface ExportPage {
  /** Only on the first page. */
  head?: ExportHead
  /** The issues. A page may have none although there are more behind it. */
  issues: ExportedFields[]
  next?: string
}

const TOLD_AT_ONCE = 20
/** So that an answer comes soon where much has to be looked through. */
const LOOKS_AT_MOST = 50

/** The first page is noted in the audit log. Throws `invalid` or `not_found`. */
export async function exportPhone(deps: ExportDependencies, request: ExportRequest): Promise<ExportPage> {
  const { store, vault, numbering } = deps
  const app = request.appId === undefined ? undefined : await existingApp(deps, request.appId)
  const { region = numbering.region } = app ?? {}
  const phone = seekPhone(vault, request.phoneNumber, { ...numbering, region })
  const apps = app ? [app] : await store.read.apps.withRemoved()
  const bookmark = bookmarkOf(deps, phone, request)
  const from = request.after === undefined ? undefined : bookmark.read(request.after)
  const { issues, next } = await pageOf(deps, phone, apps, from)
  const told = []
  for (const issue of issues) told.push(await tell(deps, issue))
  return {
    ...(from === undefined && { head: await begin(deps, phone, apps, request) }),
    issues: told,
    ...(next && { next: bookmark.write(next) }),
  }
}

async function begin(
  deps: ExportDependencies,
  phone: PhoneSought,
  apps: readonly App[],
  { appId }: ExportRequest,
): Promise<ExportHead> {
  const { store, clock } = deps
  await store.transaction((tx) =>
    writeAudit(deps, tx, 'privacy.export', appId ?? '', { phone: shownHash(phone.hashes) }),
  )
  const storedAs = phone.hashes.map((hash) => Buffer.from(hash).toString('hex'))
  const known: ExportedFields[] = []
  for (const app of apps) {
    const failures = await store.read.phones.failures(app.appId, phone.hashes)
    known.push({
      appId: app.appId,
      name: app.name,
      removedAt: iso(app.removedAt),
      isTrusted: protectionOf(app).trusted.phones.some((one) => storedAs.includes(one)),
      wrongCodes: failures.map(({ kind, failures: { inARow, lastAt, lockedAt, issuedAt, byDay } }) => ({
        ...{ keyKind: kind, inARow, lastAt: iso(lastAt), lockedAt: iso(lockedAt), lastSeldomCodeAt: iso(issuedAt) },
        byDay: byDay.map(([day, count]) => ({ day: iso(day * DAY_MS)?.slice(0, 10), count })),
      })),
    })
  }
  const phoneNumber = phone.number
  const exportedAt = new Date(clock.now()).toISOString()
  const absences = await Promise.all(phone.hashes.map((hash) => store.read.phones.absentFrom(hash, clock.now())))
  const absentFrom = [...new Set(absences.flat())]
  return {
    ...{ format: EXPORT_FORMAT, version: EXPORT_VERSION, exportedAt, phoneNumber, storedAs },
    ...(absentFrom.length > 0 && { absentFrom }),
    apps: known,
  }
}

/** Behind which issue of which app. */
interface ExportPosition {
  appId: string
  issueId: string | undefined
}

async function pageOf(
  { store }: ExportDependencies,
  { hashes }: PhoneSought,
  apps: readonly App[],
  from: ExportPosition | undefined,
): Promise<{ issues: Stored[]; next?: ExportPosition }> {
  let index = from ? apps.findIndex(({ appId }) => appId === from.appId) : 0
  let after = from?.issueId
  for (let look = 0; look < LOOKS_AT_MOST; look++) {
    const app = apps[index]
    if (!app) return { issues: [] }
    const { rows, next } = await store.read.phones.issues(app.appId, hashes, { after, limit: TOLD_AT_ONCE })
    if (next === undefined) index++
    after = next
    const behind = apps[index]
    if (!behind) return { issues: rows }
    if (rows.length > 0 || look === LOOKS_AT_MOST - 1)
      return { issues: rows, next: { appId: behind.appId, issueId: after } }
  }
  return { issues: [] }
}

/** Nobody can begin in the middle, where nothing is noted. */
function bookmarkOf({ vault }: ExportDependencies, { number }: PhoneSought, { appId = '' }: ExportRequest) {
  const tagOf = (place: string) => Buffer.from(vault.tag(`export ${number} ${appId} ${place}`)).toString('hex')
  return {
    write: ({ appId, issueId = '' }: ExportPosition) => `${appId}/${issueId}/${tagOf(`${appId}/${issueId}`)}`,
    read(text: string): ExportPosition {
      const [appId = '', issueId = '', tag] = text.split('/')
      if (tag !== tagOf(`${appId}/${issueId}`)) throw invalid('after', 'invalid_cursor', 'is of no page of this export')
      return { appId, issueId: issueId === '' ? undefined : issueId }
    },
  }
}

async function tell(deps: ExportDependencies, issue: Stored): Promise<ExportedFields> {
  const { store, clock, idempotencyDays } = deps
  const { appId, issueId } = issue
  const keptUntil = issue.createdAt + idempotencyDays * DAY_MS
  const rendered = await store.read.phones.rendered(issueId)
  const ledger = await store.read.wallets.ledgerOfIssue(appId, issueId)
  return {
    ...factsOf(shownMessage(issue)),
    // With each issue the keyed hash of an idempotency key is stored, and one of what was asked for.
    ...(keptUntil > clock.now() && { idempotencyKeyKeptUntil: iso(keptUntil) }),
    ...(rendered && { waitingMessage: messageOf(rendered) }),
    attempts: await attemptsOf(deps, issue),
    ledger: ledger.map(({ entryType, amountDelta, createdAt }) => ({ entryType, amountDelta, at: iso(createdAt) })),
    events: await eventsOf(deps, issue),
  }
}

const factsOf = (issue: ReturnType<typeof shownMessage>): ExportedFields => ({
  ...{ appId: issue.appId, issueId: issue.issueId, purpose: issue.purpose, templateId: issue.templateId },
  ...{ channel: issue.channel, carriedBy: issue.leg, keyKind: issue.keyKind, country: issue.country },
  metadata: issue.metadata,
  ...{ createdAt: iso(issue.createdAt), expiresAt: iso(issue.expiresAt), updatedAt: iso(issue.updatedAt) },
  ...{ verificationStatus: issue.verificationStatus, verifiedAt: iso(issue.verifiedAt) },
  ...(issue.wrongAt && { wrongCodesAt: issue.wrongAt.map((at) => iso(at)) }),
  ...{ attemptsUsed: issue.attemptsUsed, maxAttempts: issue.maxAttempts },
  ...{ deliveryStatus: issue.deliveryStatus, outcomeCode: issue.providerOutcomeCode },
  ...{ billingStatus: issue.billingStatus, price: issue.price, debitedAmount: issue.debitedAmount },
  ...{ prefixHash: hex(issue.prefixHash), networkHash: hex(issue.networkHash), erasedAt: iso(issue.erasedAt) },
  requestId: issue.origin?.requestId,
})

async function attemptsOf({ store }: ExportDependencies, issue: Stored): Promise<ExportedFields[]> {
  const attempts = await store.read.attempts.ofIssue(issue, issue.issueId)
  return attempts.map(({ number, leg, carrier, calledAt, answeredAt, outcome, code, ...more }) => ({
    ...{ number, channel: leg, provider: carrier, calledAt: iso(calledAt), answeredAt: iso(answeredAt), outcome, code },
    ...{ providerSaid: more.said, text: more.text, report: more.report, reportedAt: iso(more.reportedAt) },
    providerMessageId: more.carrierMessageId,
  }))
}

/** The code in it still verifies. */
function messageOf({ to, from, text, fallbackText, variables, code }: RenderedMessage): ExportedFields {
  const hidden = (said: string) => (code === undefined ? said : said.replaceAll(code, '•'.repeat(code.length)))
  return {
    ...{ to, from, text: hidden(text), fallbackText: fallbackText && hidden(fallbackText) },
    variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, hidden(value)])),
  }
}

async function eventsOf({ store }: ExportDependencies, issue: Stored): Promise<ExportedFields[]> {
  const { phones, hooks, endpoints } = store.read
  const events = await phones.events(issue.issueId)
  if (events.length === 0) return []
  const deliveries = await hooks.ofIssue(issue, issue.issueId)
  const receivers = new Map((await endpoints.ofApp(issue.appId)).map(({ endpointId, url }) => [endpointId, url]))
  const told = await Promise.all(
    deliveries.map(async ({ deliveryId, eventId, endpointId, status }) => ({
      eventId,
      delivery: {
        ...{ receiver: hostOf(receivers.get(endpointId)), status },
        attempts: (await hooks.attempts(deliveryId)).map(({ calledAt, answeredAt, ...attempt }) => ({
          ...{ calledAt: iso(calledAt), answeredAt: iso(answeredAt) },
          ...{ status: attempt.status, error: attempt.error, answer: attempt.answer },
        })),
      },
    })),
  )
  return events.map(({ eventId, type, createdAt, body }) => ({
    ...{ eventId, type, createdAt: iso(createdAt), body: JSON.parse(body) },
    deliveries: told.filter((one) => one.eventId === eventId).map(({ delivery }) => delivery),
  }))
}

/** The rest of it may be a secret between the two. */
const hostOf = (url: string | undefined) => (url === undefined ? undefined : new URL(url).host)

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
const hex = (hash: Uint8Array | undefined) => hash && Buffer.from(hash).toString('hex')
