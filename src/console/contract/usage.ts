/** Usage from rollups, the audit log, and the state of the installation. */
import { z } from 'zod'
import { at, mode, pageInput, pageOf, procedure } from './base'

export const counts = z.object({
  issued: z.int(),
  delivered: z.int(),
  failed: z.int(),
  verified: z.int(),
  /** Credits. */
  spent: z.int(),
  /** Milliseconds from call to acceptance; missing if nothing was accepted. */
  p50Ms: z.int().optional(),
  p95Ms: z.int().optional(),
})

export const usage = {
  show: procedure('look')
    .input(
      z.object({
        appId: z.string(),
        mode,
        from: at,
        to: at,
        by: z.enum(['hour', 'day']),
        groupBy: z.enum(['channel', 'provider', 'country', 'purpose']).optional(),
      }),
    )
    .output(
      z.object({
        total: counts,
        /** One for each hour or day (UTC) of the period, including empty ones. */
        series: z.array(counts.extend({ at })),
        groups: z.array(counts.extend({ name: z.string() })),
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
  list: procedure('audit')
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
  /** Fast check that the newest entries are present. */
  end: procedure('audit').output(z.object({ lost })),
  /** Verifies the hash chain of all entries. */
  verify: procedure('audit').output(
    z.object({ isIntact: z.boolean(), entries: z.int(), head: z.string(), brokenAt: z.int().optional(), lost }),
  ),
}

export const system = {
  show: procedure('look').output(
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
