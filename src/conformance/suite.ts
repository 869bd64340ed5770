/** Holds a server to all rules. */
import { Broken, type ConformanceRule, type TestedServer } from './rule'

export interface RuleResult {
  name: string
  part: string
  outcome: 'kept' | 'broken' | 'skipped'
  /** Why it is broken or skipped. */
  reason?: string
  durationMs: number
}

/** How many of those are looked at together that wait for nothing. */
const AT_ONCE = 8

/** Rules of test mode wait for scenarios, so all of them are looked at together, before the rate limit of the key is used up. */
export async function holdTo(
  api: TestedServer,
  rules: readonly ConformanceRule[],
  onResult: (result: RuleResult) => void,
) {
  const results: RuleResult[] = []
  const hold = async (some: readonly ConformanceRule[], atOnce: number) => {
    const left = some.values()
    const work = async () => {
      for (const rule of left) {
        const result = await held(api, rule)
        results.push(result)
        onResult(result)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }
  const waiting = rules.filter(({ isOfTestMode }) => isOfTestMode)
  await hold(waiting, waiting.length)
  await hold(
    rules.filter(({ isOfTestMode }) => !isOfTestMode),
    AT_ONCE,
  )
  return results
}

async function held(api: TestedServer, { part, promise, needs, check }: ConformanceRule): Promise<RuleResult> {
  const begun = api.now()
  const result = (outcome: RuleResult['outcome'], reason?: string): RuleResult => ({
    ...{ name: `${part}: ${promise}`, part, outcome, durationMs: api.now() - begun },
    ...(reason !== undefined && { reason }),
  })
  if (needs !== undefined && api.keys[needs] === undefined) return result('skipped', `needs ${OPTIONS[needs]}`)
  try {
    await check(api)
    return result('kept')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return result('broken', error instanceof Broken ? reason : `it could not be looked at: ${reason}`)
  }
}

const OPTIONS = { publicKey: '--public-key', otherKey: '--other-key' } as const
