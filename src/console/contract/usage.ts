/** How much was issued, delivered, verified and spent, from rollups; and the state of the installation. */
import { z } from 'zod'
import { at, mode, pageInput, pageOf, procedure } from './base'

const counts = z.object({
  issued: z.int(),
  delivered: z.int(),
  failed: z.int(),
  verified: z.int(),
  /** Credits. */
  spent: z.int(),
  /** From call to acceptance, milliseconds; missing where nothing was accepted. */
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
        /** One for each hour or day (UTC) of the time, empty ones too. */
        series: z.array(counts.extend({ at })),
        groups: z.array(counts.extend({ name: z.string() })),
      }),
    ),
}

/** Places where the end of the log was written down, and what is wrong with the log or with them. */
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
  /** Whether the log goes as far as it is known to have gone; quick. */
  end: procedure('audit').output(z.object({ lost })),
  /** Looks whether every entry is as it was written, and none is missing between them or at the end. */
  verify: procedure('audit').output(
    z.object({ isIntact: z.boolean(), entries: z.int(), head: z.string(), brokenAt: z.int().optional(), lost }),
  ),
}

export const system = {
  show: procedure('look').output(
    z.object({
      version: z.string(),
      startedAt: at,
      /** How the program is called in the folder of the server: `watchword`, or from its source. */
      command: z.string(),
      databaseBytes: z.int(),
      publicUrl: z.string().optional(),
      /** The servers that share the database, the one that answers among them; none where it has it for itself. */
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
      /** Of the server that answers: its connections to a shared database for changes. */
      pool: z.object({ size: z.int(), busy: z.int(), waiting: z.int() }).optional(),
      checks: z.object({ database: z.boolean(), dispatcher: z.boolean() }),
      /** Newest first; `watchword backup` makes them. None where the database is backed up by its own means. */
      backups: z.array(z.object({ name: z.string(), bytes: z.int(), at })),
      /** When the last one that was tried for was not made. */
      backupFailedAt: at.optional(),
      /** When the server has the next one made by itself. */
      nextBackupAt: at.optional(),
      queue: z.array(z.object({ kind: z.string(), waiting: z.int(), due: z.int(), oldestDueMs: z.int() })),
    }),
  ),
}
