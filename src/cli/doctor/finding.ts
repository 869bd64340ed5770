/** Input and output of a check. */
import type { Config } from '../../config'
import type { Store } from '../../ports/store'
import type { ServerReport } from '../../store/postgres/inspect'
import { endingOf } from '../output'

/** An installation whose database is open. */
export interface Installation {
  config: Config
  store: Store
  /** Unix milliseconds, by the clock of the store. */
  now: number
}

export interface SharedInstallation extends Installation {
  /** Facts that PostgreSQL reports about itself. */
  server: ServerReport
  /** Size of the write pool of one server. */
  pool: number
}

export interface DoctorFinding {
  /** Stable one-word name of the check. */
  check: string
  /** `warn`: works, but not as it should for long; `problem`: does not work, or loses something. */
  state: 'ok' | 'warn' | 'problem'
  message: string
  /** Advice to the operator. */
  advice?: string
}

/** A finding without the name of its check. */
export type Wrong = Omit<DoctorFinding, 'check'>

/** Examines one subject. Returns at least one finding: `ok` if nothing is wrong. */
export type Check<Of extends Installation = Installation> = (
  installation: Of,
) => DoctorFinding[] | Promise<DoctorFinding[]>

/** The findings of one check, or one `ok` finding. */
export const findings = (check: string, wrong: readonly Wrong[], otherwise: string): DoctorFinding[] =>
  (wrong.length > 0 ? wrong : [{ state: 'ok' as const, message: otherwise }]).map((found) => ({ check, ...found }))

/** A finding that prevents all checks. */
export const problem = (check: string, message: string, advice?: string): DoctorFinding => ({
  ...{ check, state: 'problem', message },
  ...(advice && { advice }),
})

/** Runs the checks one after the other. */
export async function runAll<Of extends Installation>(
  checks: ReadonlyArray<Check<Of>>,
  of: Of,
): Promise<DoctorFinding[]> {
  const found: DoctorFinding[] = []
  for (const check of checks) found.push(...(await check(of)))
  return found
}

/** Converts an error on opening the database into a finding. A defect is thrown. */
export function cannotOpen(error: unknown): DoctorFinding {
  const { code, message } = endingOf(error)
  if (code === 'defect') throw error
  return problem('database', message, 'No other check is possible before the database opens.')
}
