/** Usage from rollups, the audit log, and the state of the installation. */
import { z } from 'zod'
import { REPORT_GROUPS, type ReportGroup } from '../../domain/operations/usage-report'
import { act, at, mode, pageInput, pageOf } from './base'

export const counts = z.object({
  issued: z.int(),
  /** A carrier took a message of it. */
  sent: z.int(),
  delivered: z.int(),
  failed: z.int(),
  verified: z.int(),
  /** Credits. */
  spent: z.int(),
  /** Accepted by carriers; an issue may have one for each of its legs. */
  messages: z.int(),
  /** Milliseconds from call to acceptance; missing if nothing was accepted. */
  p50Ms: z.int().optional(),
  p95Ms: z.int().optional(),
})

const reportCounts = counts.omit({ p50Ms: true, p95Ms: true }).extend({
  /** A decimal number for each currency. */
  cost: z.array(z.object({ currency: z.string(), amount: z.string() })),
  /** Accepted messages without a price. */
  unpriced: z.int(),
})

/** A row has a value for each group that was asked for; `hour` is the hour of the day. */
const group = z.string().optional()
const reportGroups = {
  ...{ app: group, month: group, day: group, hour: group },
  ...{ country: group, carrier: group, channel: group, purpose: group },
} satisfies Record<ReportGroup, z.ZodType>

export const usage = {
  report: act('GET /usage', 'Report usage. Sums of whole days of a time zone, by any groups, in pages.', 'look', 'apps')
    .input(
      z.object({
        /** Missing: all apps that the operator sees, and for whoever sees all also removed ones. */
        appId: z.string().optional(),
        mode,
        ...{ from: z.string(), to: z.string(), timeZone: z.string() },
        groupBy: z.array(z.enum(REPORT_GROUPS)).max(REPORT_GROUPS.length),
        after: z.string().max(4_000).optional(),
        limit: z.int().min(1).max(1_000).default(1_000),
      }),
    )
    .output(
      z.object({
        total: reportCounts,
        rows: z.array(reportCounts.extend(reportGroups)),
        next: z.string().optional(),
      }),
    ),
}

/** Problems with the end of the log, by the place that records it. */
const lost = z.array(
  z.object({
    where: z.enum(['database', 'file']),
    problem: z.enum(['cut_off', 'unreadable', 'gone']),
    seq: z.int().optional(),
  }),
)

export const audit = {
  list: act('GET /audit', 'List changes, newest first.', 'audit', 'installation')
    .input(z.object({ ...pageInput.shape, actor: z.string().optional(), action: z.string().optional() }))
    .output(
      pageOf(
        z.object({
          seq: z.int(),
          at,
          actor: z.string(),
          action: z.string(),
          target: z.string(),
          detail: z.record(z.string(), z.unknown()),
          ip: z.string().optional(),
          hash: z.string(),
        }),
      ),
    ),
  end: act(
    'GET /audit/end',
    'Check the end of the log. Fast check that the newest entries are present.',
    'audit',
    'installation',
  ).output(z.object({ lost })),
  verify: act(
    'POST /audit/verify',
    'Verify the log. Verifies the hash chain of all entries.',
    'audit',
    'installation',
  ).output(z.object({ isIntact: z.boolean(), entries: z.int(), head: z.string(), brokenAt: z.int().optional(), lost })),
}

export const system = {
  show: act('GET /system', 'Show the state of the installation.', 'look', 'installation').output(
    z.object({
      version: z.string(),
      startedAt: at,
      /** Command line of the program: `watchword`, or the call from source. */
      command: z.string(),
      databaseBytes: z.int(),
      publicUrl: z.string().optional(),
      /** Servers that share the database, including this one; empty for a single server. */
      nodes: z.array(
        z.object({
          id: z.string(),
          name: z.string(),
          version: z.string(),
          state: z.enum(['working', 'leaving', 'silent', 'replaced']),
          startedAt: at,
          seenAt: at,
          lagMs: z.int(),
        }),
      ),
      /** Write pool of this server on a shared database. */
      pool: z.object({ size: z.int(), busy: z.int(), waiting: z.int() }).optional(),
      checks: z.object({ database: z.boolean(), dispatcher: z.boolean() }),
      /** Newest first, created by `watchword backup`. Empty on PostgreSQL. */
      backups: z.array(z.object({ name: z.string(), bytes: z.int(), at })),
      /** Time of the last failed backup. */
      backupFailedAt: at.optional(),
      /** Time of the next scheduled backup. */
      nextBackupAt: at.optional(),
      queue: z.array(z.object({ kind: z.string(), waiting: z.int(), due: z.int(), oldestDueMs: z.int() })),
    }),
  ),
}
