import { implement } from '@orpc/server'
import { conditionsOf } from '../../domain/operations/node'
import { BUILD, VERSION } from '../../domain/operations/version'
import type { Backups } from '../../ports/files'
import { readQueue } from '../../usecases/inspect'
import { readReport } from '../../usecases/read-report'
import { lostEnds, verifyAudit } from '../../usecases/verify-audit'
import { type AdminContext, type AdminServices, administratorOf } from '../context'
import { adminContract } from '../contract'

export function usageProcedures(deps: AdminServices) {
  const os = implement(adminContract.usage).$context<AdminContext>()
  return os.router({
    report: os.report.handler(({ input: { appId, ...query }, context }) =>
      readReport(deps, { ...query, appIds: appId === undefined ? administratorOf(context).appIds : [appId] }),
    ),
  })
}

export function auditProcedures(deps: AdminServices) {
  const os = implement(adminContract.audit).$context<AdminContext>()
  const { store, vault } = deps
  return os.router({
    list: os.list.handler(async ({ input: { after, limit, actor, action } }) => {
      const before = after === undefined ? undefined : Number(after) || 0
      const entries = await store.lists.audit.page({ before, actor, action, limit: limit + 1 })
      const next = entries.length > limit ? entries[limit - 1]?.seq : undefined
      const rows = entries.slice(0, limit).map(({ hash, detail, ...entry }) => ({
        ...entry,
        detail: { ...detail },
        hash: Buffer.from(hash).toString('hex'),
      }))
      return { rows, ...(next !== undefined && { next: String(next) }) }
    }),
    end: os.end.handler(async () => ({ lost: await lostEnds(store.read) })),
    verify: os.verify.handler(() => verifyAudit({ read: store.read, vault })),
  })
}

/** The call from source as in the README, because not everybody with npm has Bun. */
const COMMAND = BUILD ? 'watchword' : `npx --yes bun@${Bun.version} src/main.ts`

const backupsOf = ({ made, failedAt, nextAt }: Backups) => ({
  backups: made,
  ...(failedAt !== undefined && { backupFailedAt: failedAt }),
  ...(nextAt !== undefined && { nextBackupAt: nextAt }),
})

export function systemProcedures(deps: AdminServices) {
  const os = implement(adminContract.system).$context<AdminContext>()
  const { store, clock } = deps
  const { startedAt, publicUrl, isDispatching, backups } = deps.facts
  return os.router({
    show: os.show.handler(async () => ({
      version: VERSION,
      startedAt,
      command: COMMAND,
      publicUrl,
      databaseBytes: await store.read.size(),
      nodes: conditionsOf(await store.read.nodes(), clock.now()).map(
        ({ nodeId: id, condition: state, name, version, startedAt, seenAt, lagMs }) => ({
          ...{ id, name, version, state },
          ...{ startedAt, seenAt, lagMs },
        }),
      ),
      pool: store.pool(),
      checks: {
        database: await store.assertWritable().then(
          () => true,
          () => false,
        ),
        dispatcher: isDispatching(),
      },
      ...backupsOf(backups()),
      queue: (await readQueue(deps)).queue,
    })),
  })
}
