/** What a check looks at, and what it answers. */
import type { Config } from '../../config'
import type { Store } from '../../ports/store'

/** An installation whose database is open. */
export interface Installation {
  config: Config
  store: Store
  /** Unix milliseconds. */
  now: number
}

export interface Finding {
  /** What was looked at: one word, stable. */
  check: string
  /** `warn`: works, but not as it should for long; `problem`: does not work, or loses something. */
  state: 'ok' | 'warn' | 'problem'
  message: string
  /** What to do about it. */
  advice?: string
}

/** Looks at one thing and answers what is wrong with it; at least one finding, `ok` where nothing is. */
export type Check = (installation: Installation) => Finding[] | Promise<Finding[]>

/** The findings of one check, or that all is well. */
export const findings = (check: string, wrong: ReadonlyArray<Omit<Finding, 'check'>>, otherwise: string): Finding[] =>
  (wrong.length > 0 ? wrong : [{ state: 'ok' as const, message: otherwise }]).map((found) => ({ check, ...found }))
