/** What a check looks at, and what it answers. */
import type { Config } from '../../config'
import type { Store } from '../../ports/store'
import type { ServerReport } from '../../store/postgres/inspect'
import { endingOf } from '../failure'

/** An installation whose database is open. */
export interface Installation {
  config: Config
  store: Store
  /** Unix milliseconds, by the clock that the store stamps by. */
  now: number
}

export interface SharedInstallation extends Installation {
  /** What PostgreSQL says of itself. */
  server: ServerReport
  /** Connections of one server for changes. */
  pool: number
}

export interface DoctorFinding {
  /** What was looked at: one word, stable. */
  check: string
  /** `warn`: works, but not as it should for long; `problem`: does not work, or loses something. */
  state: 'ok' | 'warn' | 'problem'
  message: string
  /** What to do about it. */
  advice?: string
}

/** What a check has found, of which it need not say that it has. */
export type Wrong = Omit<DoctorFinding, 'check'>

/** Looks at one thing and answers what is wrong with it; at least one finding, `ok` where nothing is. */
export type Check<Of extends Installation = Installation> = (
  installation: Of,
) => DoctorFinding[] | Promise<DoctorFinding[]>

/** The findings of one check, or that all is well. */
export const findings = (check: string, wrong: readonly Wrong[], otherwise: string): DoctorFinding[] =>
  (wrong.length > 0 ? wrong : [{ state: 'ok' as const, message: otherwise }]).map((found) => ({ check, ...found }))

/** Of what keeps every check from being made. */
export const problem = (check: string, message: string, advice?: string): DoctorFinding => ({
  ...{ check, state: 'problem', message },
  ...(advice && { advice }),
})

/** One after the other. */
export async function runAll<Of extends Installation>(
  checks: ReadonlyArray<Check<Of>>,
  of: Of,
): Promise<DoctorFinding[]> {
  const found: DoctorFinding[] = []
  for (const check of checks) found.push(...(await check(of)))
  return found
}

/** What keeps the database from opening, as a finding. A defect is thrown. */
export function cannotOpen(error: unknown): DoctorFinding {
  const { code, message } = endingOf(error)
  if (code === 'defect') throw error
  return problem('database', message, 'No other check is possible before the database opens.')
}
