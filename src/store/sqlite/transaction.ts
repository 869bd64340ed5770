/** What a transaction can do, on the writer's connection. Statements are prepared once and shared by all transactions. */
import type { Database } from 'bun:sqlite'
import { and, asc, eq, inArray, lt, lte, max, sql } from 'drizzle-orm'
import { FRONT, LEASE_MS } from '../../domain/job'
import type { Mode, Owner } from '../../domain/value'
import type { Letter, Tx, Vault } from '../../ports'
import { createConsoleTx } from './console'
import { drizzle } from './drizzle'
import { idFloor } from './ids'
import { attemptOf, attemptRow, awaitedOf, entryOf, issueOf, issueRow, walletOf } from './rows'
import {
  apiKeys,
  apps,
  attempts,
  awaitedReports,
  claims,
  issues,
  jobs,
  ledgerEntries,
  organizations,
  outbox,
  providerHealth,
  providers,
  routes,
  templates,
  wallets,
} from './schema'
import { bind, changes, onFirstUse, parameters } from './statement'
import { createUsageTx } from './usage'
import { createWebhookTx } from './webhooks'

/** The columns of an issue that change after its admission. */
const CHANGING = [
  'messageId',
  'verificationStatus',
  'attemptsUsed',
  'verifiedAt',
  'deliveryStatus',
  'leg',
  'sendPending',
  'providerOutcomeAmbiguous',
  'providerOutcomeCode',
  'billingStatus',
  'debitedAmount',
  'updatedAt',
] as const

function prepareStatements(connection: Database) {
  const db = drizzle(connection)
  const ofOwner = (table: typeof issues | typeof claims | typeof attempts) => [
    eq(table.appId, bind(table.appId, 'appId')),
    eq(table.mode, bind(table.mode, 'mode')),
  ]
  const thisIssue = and(...ofOwner(issues), eq(issues.issueId, bind(issues.issueId, 'issueId')))
  const thisClaim = and(...ofOwner(claims), eq(claims.keyHash, bind(claims.keyHash, 'keyHash')))
  const theseAttempts = and(...ofOwner(attempts), eq(attempts.issueId, bind(attempts.issueId, 'issueId')))
  const heldJob = and(eq(jobs.jobId, bind(jobs.jobId, 'jobId')), eq(jobs.attempt, bind(jobs.attempt, 'attempt')))
  const thisMessage = eq(awaitedReports.messageId, bind(awaitedReports.messageId, 'messageId'))

  return {
    findIssue: onFirstUse(() => db.select().from(issues).where(thisIssue).prepare()),
    findLiveIssue: onFirstUse(() =>
      db
        .select()
        .from(issues)
        .where(
          and(
            ...ofOwner(issues),
            eq(issues.phoneHash, bind(issues.phoneHash, 'phoneHash')),
            eq(issues.purpose, bind(issues.purpose, 'purpose')),
            sql`${issues.verificationStatus} = 'issued'`,
          ),
        )
        .prepare(),
    ),
    findExpired: onFirstUse(() =>
      db
        .select()
        .from(issues)
        .where(and(sql`${issues.verificationStatus} = 'issued'`, lte(issues.expiresAt, bind(issues.expiresAt, 'now'))))
        .orderBy(issues.expiresAt)
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
    insertIssue: onFirstUse(() => db.insert(issues).values(parameters(issues)).prepare()),
    updateIssue: onFirstUse(() => db.update(issues).set(changes(issues, CHANGING)).where(thisIssue).prepare()),

    findClaim: onFirstUse(() => db.select().from(claims).where(thisClaim).prepare()),
    insertClaim: onFirstUse(() =>
      db
        .insert(claims)
        .values(parameters(claims, ['appId', 'mode', 'keyHash', 'fingerprint', 'issueId', 'createdAt']))
        .prepare(),
    ),
    deleteClaim: onFirstUse(() => db.delete(claims).where(thisClaim).prepare()),

    insertOutbox: onFirstUse(() => db.insert(outbox).values(parameters(outbox)).prepare()),
    findOutbox: onFirstUse(() =>
      db
        .select()
        .from(outbox)
        .where(eq(outbox.issueId, bind(outbox.issueId, 'issueId')))
        .prepare(),
    ),
    deleteOutbox: onFirstUse(() =>
      db
        .delete(outbox)
        .where(eq(outbox.issueId, bind(outbox.issueId, 'issueId')))
        .prepare(),
    ),

    insertAttempt: onFirstUse(() => db.insert(attempts).values(parameters(attempts)).prepare()),
    findAttempts: onFirstUse(() =>
      db.select().from(attempts).where(theseAttempts).orderBy(asc(attempts.number)).prepare(),
    ),
    answerAttempt: onFirstUse(() =>
      db
        .update(attempts)
        .set(changes(attempts, ['answeredAt', 'outcome', 'retry', 'code', 'providerMessageId']))
        .where(
          and(theseAttempts, eq(attempts.number, bind(attempts.number, 'number')), sql`${attempts.outcome} IS NULL`),
        )
        .returning({ number: attempts.number })
        .prepare(),
    ),

    insertAwaited: onFirstUse(() =>
      db
        .insert(awaitedReports)
        .values(parameters(awaitedReports))
        .onConflictDoUpdate({
          target: awaitedReports.messageId,
          set: {
            provider: sql`excluded.provider`,
            providerMessageId: sql`excluded.provider_message_id`,
            answeredAt: sql`excluded.answered_at`,
          },
        })
        .prepare(),
    ),
    findAwaited: onFirstUse(() => db.select().from(awaitedReports).where(thisMessage).prepare()),
    findAwaitedByProvider: onFirstUse(() =>
      db
        .select()
        .from(awaitedReports)
        .where(
          and(
            eq(awaitedReports.provider, bind(awaitedReports.provider, 'provider')),
            eq(awaitedReports.providerMessageId, bind(awaitedReports.providerMessageId, 'messageId')),
          ),
        )
        .prepare(),
    ),
    deleteAwaited: onFirstUse(() => db.delete(awaitedReports).where(thisMessage).prepare()),

    findWallet: onFirstUse(() =>
      db
        .select()
        .from(wallets)
        .where(eq(wallets.appId, bind(wallets.appId, 'appId')))
        .prepare(),
    ),
    upsertWallet: onFirstUse(() =>
      db
        .insert(wallets)
        .values(parameters(wallets))
        .onConflictDoUpdate({
          target: wallets.appId,
          set: {
            balance: sql`excluded.balance`,
            reserved: sql`excluded.reserved`,
            overdraftLimit: sql`excluded.overdraft_limit`,
            alertBelow: sql`excluded.alert_below`,
            entries: sql`excluded.entries`,
            updatedAt: sql`excluded.updated_at`,
          },
        })
        .prepare(),
    ),
    findEntry: onFirstUse(() =>
      db
        .select()
        .from(ledgerEntries)
        .where(
          and(
            eq(ledgerEntries.appId, bind(ledgerEntries.appId, 'appId')),
            eq(ledgerEntries.entryType, bind(ledgerEntries.entryType, 'entryType')),
            eq(ledgerEntries.reference, bind(ledgerEntries.reference, 'reference')),
          ),
        )
        .prepare(),
    ),
    insertEntry: onFirstUse(() => db.insert(ledgerEntries).values(parameters(ledgerEntries)).prepare()),

    /** A job of the kind that exists already is moved, and whoever ran it has lost it. */
    upsertJob: onFirstUse(() =>
      db
        .insert(jobs)
        .values({
          ...parameters(jobs, ['kind', 'appId', 'mode', 'subjectId', 'runAt', 'queue']),
          attempt: 0,
          leased: false,
        })
        .onConflictDoUpdate({
          target: [jobs.subjectId, jobs.kind],
          set: {
            runAt: sql`excluded.run_at`,
            queue: sql`excluded.queue`,
            attempt: sql`${jobs.attempt} + 1`,
            leased: sql`0`,
          },
        })
        .prepare(),
    ),
    findDueJobs: onFirstUse(() =>
      db
        .select()
        .from(jobs)
        .where(
          and(
            eq(jobs.kind, bind(jobs.kind, 'kind')),
            eq(jobs.queue, bind(jobs.queue, 'queue')),
            lte(jobs.runAt, bind(jobs.runAt, 'now')),
          ),
        )
        .orderBy(jobs.runAt)
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
    claimJob: onFirstUse(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt']), attempt: sql`${jobs.attempt} + 1`, leased: true })
        .where(eq(jobs.jobId, bind(jobs.jobId, 'jobId')))
        .prepare(),
    ),
    findHeldJob: onFirstUse(() => db.select({ jobId: jobs.jobId }).from(jobs).where(heldJob).prepare()),
    deleteJob: onFirstUse(() => db.delete(jobs).where(heldJob).returning({ jobId: jobs.jobId }).prepare()),
    moveJob: onFirstUse(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt', 'queue']), leased: false })
        .where(heldJob)
        .prepare(),
    ),
    /** Not a job that runs: it sees for itself, and its fence must hold. */
    hastenJob: onFirstUse(() =>
      db
        .update(jobs)
        .set({
          ...changes(jobs, ['runAt']),
          queue: sql`CASE ${jobs.kind} WHEN 'deliver' THEN ${FRONT} ELSE ${jobs.queue} END`,
        })
        .where(
          and(
            eq(jobs.subjectId, bind(jobs.subjectId, 'subjectId')),
            eq(jobs.kind, bind(jobs.kind, 'kind')),
            sql`${jobs.leased} = 0`,
          ),
        )
        .prepare(),
    ),
    emptyCarrierQueues: onFirstUse(() =>
      db.update(jobs).set({ queue: FRONT }).where(sql`${jobs.kind} = 'deliver' AND ${jobs.queue} <> ''`).prepare(),
    ),
    backlog: onFirstUse(() =>
      db
        .select({ waiting: sql<number>`count(*)` })
        .from(sql`(SELECT 1 FROM jobs WHERE kind = 'deliver' LIMIT ${sql.placeholder('limit')})`)
        .prepare(),
    ),
    releaseLeases: onFirstUse(() =>
      db
        .update(jobs)
        .set({ ...changes(jobs, ['runAt']), leased: false })
        .where(sql`${jobs.leased} = 1`)
        .prepare(),
    ),

    findOrganization: onFirstUse(() =>
      db.select().from(organizations).orderBy(organizations.createdAt).limit(1).prepare(),
    ),
    insertOrganization: onFirstUse(() => db.insert(organizations).values(parameters(organizations)).prepare()),
    insertApp: onFirstUse(() => db.insert(apps).values(parameters(apps)).prepare()),
    insertKey: onFirstUse(() => db.insert(apiKeys).values(parameters(apiKeys)).prepare()),
    revokeKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['revokedAt']))
        .where(and(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')), sql`${apiKeys.revokedAt} IS NULL`))
        .prepare(),
    ),
    expireKey: onFirstUse(() =>
      db
        .update(apiKeys)
        .set(changes(apiKeys, ['expiresAt']))
        .where(eq(apiKeys.keyId, bind(apiKeys.keyId, 'keyId')))
        .prepare(),
    ),
    newestTemplateVersion: onFirstUse(() =>
      db
        .select({ version: max(templates.version) })
        .from(templates)
        .where(
          and(
            eq(templates.appId, bind(templates.appId, 'appId')),
            eq(templates.templateId, bind(templates.templateId, 'templateId')),
          ),
        )
        .prepare(),
    ),
    insertTemplate: onFirstUse(() => db.insert(templates).values(parameters(templates)).prepare()),
    upsertProvider: onFirstUse(() =>
      db
        .insert(providers)
        .values(parameters(providers))
        .onConflictDoUpdate({
          target: providers.name,
          set: {
            type: sql`excluded.type`,
            channels: sql`excluded.channels`,
            config: sql`excluded.config`,
            concurrency: sql`excluded.concurrency`,
            timeoutMs: sql`excluded.timeout_ms`,
            changedAt: sql`excluded.changed_at`,
          },
        })
        .prepare(),
    ),
    deleteProvider: onFirstUse(() =>
      db
        .delete(providers)
        .where(eq(providers.name, bind(providers.name, 'name')))
        .returning({ name: providers.name })
        .prepare(),
    ),

    upsertHealth: onFirstUse(() =>
      db
        .insert(providerHealth)
        .values(parameters(providerHealth))
        .onConflictDoUpdate({
          target: providerHealth.provider,
          set: {
            isHealthy: sql`excluded.is_healthy`,
            since: sql`excluded.since`,
            code: sql`excluded.code`,
            retryAt: sql`excluded.retry_at`,
          },
        })
        .prepare(),
    ),
    deleteHealth: onFirstUse(() =>
      db
        .delete(providerHealth)
        .where(eq(providerHealth.provider, bind(providerHealth.provider, 'provider')))
        .prepare(),
    ),
    deleteAllHealth: onFirstUse(() => db.delete(providerHealth).prepare()),

    upsertRoute: onFirstUse(() =>
      db
        .insert(routes)
        .values(parameters(routes))
        .onConflictDoUpdate({
          target: [routes.channel, routes.country, routes.appId],
          set: { providers: sql`excluded.providers` },
        })
        .prepare(),
    ),
    deleteRoute: onFirstUse(() =>
      db
        .delete(routes)
        .where(
          and(
            eq(routes.channel, bind(routes.channel, 'channel')),
            eq(routes.country, bind(routes.country, 'country')),
            eq(routes.appId, bind(routes.appId, 'appId')),
          ),
        )
        .returning({ channel: routes.channel })
        .prepare(),
    ),

    appIds: onFirstUse(() => db.select({ appId: apps.appId }).from(apps).prepare()),
    /** Oldest settled issues of an app; an issue with work left is kept. */
    findOldIssues: onFirstUse(() =>
      db
        .select({ issueId: issues.issueId })
        .from(issues)
        .where(
          and(
            ...ofOwner(issues),
            lt(issues.issueId, bind(issues.issueId, 'before')),
            sql`${issues.verificationStatus} <> 'issued'`,
            sql`${issues.billingStatus} IN ('debited', 'released')`,
          ),
        )
        .orderBy(asc(issues.issueId))
        .limit(sql.placeholder('limit'))
        .prepare(),
    ),
    deleteIssue: onFirstUse(() => db.delete(issues).where(thisIssue).prepare()),
    deleteAttempts: onFirstUse(() => db.delete(attempts).where(theseAttempts).prepare()),
    deleteJobsOfIssue: onFirstUse(() =>
      db
        .delete(jobs)
        .where(eq(jobs.subjectId, bind(jobs.subjectId, 'subjectId')))
        .prepare(),
    ),
    deleteOldClaims: onFirstUse(() =>
      db
        .delete(claims)
        .where(
          inArray(
            claims.claimId,
            sql`(SELECT claim_id FROM (SELECT claim_id, created_at FROM claims ORDER BY claim_id LIMIT ${sql.placeholder('limit')}) WHERE created_at < ${sql.placeholder('before')})`,
          ),
        )
        .returning({ claimId: claims.claimId })
        .prepare(),
    ),
    deleteOldAwaited: onFirstUse(() =>
      db
        .delete(awaitedReports)
        .where(
          inArray(
            awaitedReports.messageId,
            sql`(SELECT message_id FROM (SELECT message_id, answered_at FROM awaited_reports ORDER BY message_id LIMIT ${sql.placeholder('limit')}) WHERE answered_at < ${sql.placeholder('before')})`,
          ),
        )
        .returning({ messageId: awaitedReports.messageId })
        .prepare(),
    ),
    deleteExpiredOutbox: onFirstUse(() =>
      db
        .delete(outbox)
        .where(
          inArray(
            outbox.issueId,
            sql`(SELECT issue_id FROM (SELECT issue_id, expires_at FROM outbox ORDER BY issue_id LIMIT ${sql.placeholder('limit')}) WHERE expires_at <= ${sql.placeholder('now')})`,
          ),
        )
        .returning({ issueId: outbox.issueId })
        .prepare(),
    ),
  }
}

interface Effects {
  afterCommit: Array<() => void>
  changedConfiguration: boolean
}

export type OpenTransaction = { tx: Tx; effects: Effects; end: () => void }

/** Prepares everything once; the answer opens a transaction at an instant. */
export function createTransactions(connection: Database, vault: Vault): (now: number) => OpenTransaction {
  const methods = createMethods(connection, vault)
  return (now) => {
    const effects: Effects = { afterCommit: [], changedConfiguration: false }
    const tx: OpenTx = Object.assign(Object.create(methods), { opened: { now, effects } })
    return { tx, effects, end: () => void Object.setPrototypeOf(tx, ENDED) }
  }
}

/** A transaction that is used after its end throws instead of writing into somebody else's. */
const ENDED = new Proxy(
  {},
  {
    get() {
      throw new Error('This transaction has ended')
    },
  },
)

type OpenTx = Tx & { opened: { now: number; effects: Effects } }

/** What all transactions share; each has its own `now` and effects. */
function createMethods(connection: Database, vault: Vault): Tx & ThisType<OpenTx> {
  const statements = prepareStatements(connection)
  const outboxRow = (issueId: string) => `outbox:${issueId}`
  const owned = ({ appId, mode }: Owner) => ({ appId, mode })

  function deleteIssue(owner: Owner & { mode: Mode }, issueId: string): void {
    statements.deleteAttempts.run({ ...owner, issueId })
    statements.deleteJobsOfIssue.run({ subjectId: issueId })
    statements.deleteOutbox.run({ issueId })
    statements.deleteIssue.run({ ...owner, issueId })
  }

  return {
    ...createWebhookTx(connection, vault),
    ...createConsoleTx(connection, vault),
    ...createUsageTx(connection),
    get now() {
      return this.opened.now
    },
    afterCommit(effect) {
      this.opened.effects.afterCommit.push(effect)
    },

    async lockIssue(owner, issueId) {
      const row = statements.findIssue.get({ ...owned(owner), issueId })
      return row && issueOf(row)
    },
    async lockLiveIssue(owner, phoneHash, purpose) {
      const row = statements.findLiveIssue.get({ ...owned(owner), phoneHash, purpose })
      return row && issueOf(row)
    },
    async lockExpired(limit) {
      return statements.findExpired.all({ now: this.now, limit }).map(issueOf)
    },
    async addIssue(issue) {
      statements.insertIssue.run(issueRow(issue))
    },
    async saveIssue(issue) {
      statements.updateIssue.run(issueRow(issue))
    },

    async findClaim(owner, keyHash) {
      return statements.findClaim.get({ ...owned(owner), keyHash })
    },
    async addClaim(claim) {
      statements.insertClaim.run({ ...claim })
    },
    async dropClaim(owner, keyHash) {
      statements.deleteClaim.run({ ...owned(owner), keyHash })
    },

    async addOutbox({ issueId, expiresAt }, letter) {
      const sealed = vault.seal(outboxRow(issueId), JSON.stringify(letter))
      statements.insertOutbox.run({ issueId, sealed, expiresAt })
    },
    async findOutbox(issueId) {
      const row = statements.findOutbox.get({ issueId })
      return row && (JSON.parse(vault.open(outboxRow(issueId), row.sealed)) as Letter)
    },
    async eraseOutbox(issueId) {
      statements.deleteOutbox.run({ issueId })
    },

    async addAttempt(attempt) {
      statements.insertAttempt.run(attemptRow(attempt))
    },
    async attempts(owner, issueId) {
      return statements.findAttempts.all({ ...owned(owner), issueId }).map(attemptOf)
    },
    async answerAttempt(attempt) {
      return statements.answerAttempt.all(attemptRow(attempt)).length > 0
    },

    async awaitReport(awaited) {
      statements.insertAwaited.run({ ...awaited, providerMessageId: awaited.providerMessageId ?? null })
    },
    async findAwaited(provider, messageId) {
      const row = statements.findAwaitedByProvider.get({ provider, messageId })
      return row && awaitedOf(row)
    },
    async awaitedReport(messageId) {
      const row = statements.findAwaited.get({ messageId })
      return row && awaitedOf(row)
    },
    async forgetReport(messageId) {
      statements.deleteAwaited.run({ messageId })
    },

    async lockWallet(appId) {
      const row = statements.findWallet.get({ appId })
      return row
        ? walletOf(row)
        : { appId, balance: 0, reserved: 0, overdraftLimit: 0, entries: 0, updatedAt: this.now }
    },
    async saveWallet(wallet) {
      statements.upsertWallet.run({ ...wallet, alertBelow: wallet.alertBelow ?? null })
    },
    async addLedgerEntry(entry) {
      statements.insertEntry.run({ ...entry, issueId: entry.issueId ?? null, reference: entry.reference ?? null })
    },
    async findLedgerEntry(appId, entryType, reference) {
      const row = statements.findEntry.get({ appId, entryType, reference })
      return row && entryOf(row)
    },

    async addJob({ kind, owner, subjectId, runAt, queue = FRONT }) {
      statements.upsertJob.run({ kind, ...owned(owner), subjectId, runAt, queue })
    },
    async claimJobs(kind, queue, limit) {
      return statements.findDueJobs.all({ kind, queue, now: this.now, limit }).map(({ leased: _, ...job }) => {
        statements.claimJob.run({ jobId: job.jobId, runAt: this.now + LEASE_MS[job.kind] })
        return { ...job, attempt: job.attempt + 1 }
      })
    },
    async holdsJob({ jobId, attempt }) {
      return statements.findHeldJob.get({ jobId, attempt }) !== undefined
    },
    async finishJob({ jobId, attempt }) {
      return statements.deleteJob.get({ jobId, attempt }) !== undefined
    },
    async rescheduleJob({ jobId, attempt }, runAt, queue = FRONT) {
      statements.moveJob.run({ jobId, attempt, runAt, queue })
    },
    async backlog(limit) {
      return statements.backlog.get({ limit })?.waiting ?? 0
    },
    async hasDueJobs(kind, queue) {
      return statements.findDueJobs.all({ kind, queue, now: this.now, limit: 1 }).length > 0
    },
    async hastenJob(kind, subjectId) {
      statements.hastenJob.run({ kind, subjectId, runAt: this.now })
    },
    async emptyCarrierQueues() {
      statements.emptyCarrierQueues.run()
    },
    async releaseLeases() {
      statements.releaseLeases.run({ runAt: this.now })
    },

    async organizationId(first) {
      const known = statements.findOrganization.get()
      if (known) return known.organizationId
      statements.insertOrganization.run({ ...first, createdAt: this.now })
      return first.organizationId
    },
    async addApp(app) {
      statements.insertApp.run({ ...app })
      this.opened.effects.changedConfiguration = true
    },
    async addKey(key) {
      statements.insertKey.run({
        ...key,
        expiresAt: key.expiresAt ?? null,
        revokedAt: key.revokedAt ?? null,
        lastUsedAt: null,
      })
      this.opened.effects.changedConfiguration = true
    },
    async revokeKey(keyId, at) {
      statements.revokeKey.run({ keyId, revokedAt: at })
      this.opened.effects.changedConfiguration = true
    },
    async expireKey(keyId, expiresAt) {
      statements.expireKey.run({ keyId, expiresAt })
      this.opened.effects.changedConfiguration = true
    },
    async saveTemplate(appId, template) {
      const newest = statements.newestTemplateVersion.get({ appId, templateId: template.templateId })?.version ?? 0
      statements.insertTemplate.run({ ...template, appId, version: newest + 1, createdAt: this.now })
      this.opened.effects.changedConfiguration = true
    },
    async saveProvider(provider) {
      const config = vault.seal(`provider:${provider.name}`, JSON.stringify(provider.config))
      const { concurrency = null, timeoutMs = null } = provider
      statements.upsertProvider.run({ ...provider, config, concurrency, timeoutMs, changedAt: this.now })
      statements.deleteHealth.run({ provider: provider.name })
      this.opened.effects.changedConfiguration = true
    },
    async removeProvider(name) {
      statements.deleteHealth.run({ provider: name })
      this.opened.effects.changedConfiguration = true
      return statements.deleteProvider.all({ name }).length > 0
    },

    async saveHealth(provider, { isHealthy, since, code = null, retryAt = null }) {
      statements.upsertHealth.run({ provider, isHealthy, since, code, retryAt })
    },
    async forgetHealth() {
      statements.deleteAllHealth.run()
    },

    async saveRoute({ channel, country = '', appId = '', providers }) {
      statements.upsertRoute.run({ channel, country, appId, providers })
      this.opened.effects.changedConfiguration = true
    },
    async removeRoute({ channel, country = '', appId = '' }) {
      this.opened.effects.changedConfiguration = true
      return statements.deleteRoute.all({ channel, country, appId }).length > 0
    },

    async deleteIssuesBefore(mode, before, limit) {
      let deleted = 0
      for (const { appId } of statements.appIds.all()) {
        const old = statements.findOldIssues.all({ appId, mode, before: idFloor(before), limit: limit - deleted })
        for (const { issueId } of old) deleteIssue({ appId, mode }, issueId)
        deleted += old.length
      }
      return deleted
    },
    async deleteClaimsBefore(before, limit) {
      return statements.deleteOldClaims.all({ before, limit }).length
    },
    async deleteAwaitedBefore(before, limit) {
      return statements.deleteOldAwaited.all({ before, limit }).length
    },
    async deleteExpiredOutbox(limit) {
      return statements.deleteExpiredOutbox.all({ now: this.now, limit }).length
    },
  }
}
