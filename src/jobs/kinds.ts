/** Which use case does which kind of job, and how many may run at a time. */
import type { Job, JobKind } from '../domain/job'
import { type DeliverDependencies, deliverCode } from '../usecases/deliver-code'
import { awaitReport, type ReportDependencies } from '../usecases/record-report'
import { settleCredit } from '../usecases/settle-credit'

export interface Kind {
  run: (job: Job) => Promise<void>
  concurrency: number
}

export const jobKinds = (deps: DeliverDependencies & ReportDependencies): Record<JobKind, Kind> => ({
  deliver: { run: (job) => deliverCode(deps, job), concurrency: 256 },
  'await-report': { run: (job) => awaitReport(deps, job), concurrency: 64 },
  settle: { run: (job) => settleCredit(deps, job), concurrency: 64 },
})
