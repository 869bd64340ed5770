/** Limits of phones are counted by what is stored of their issues, in the transaction that would add one. */

import { type LimitRule, limited, type PhoneOfApp } from '../../domain/access/rate-limits'
import type { Refusal } from '../../domain/shared/error'
import type { Tx } from '../../ports/store'

type PhoneRule = LimitRule & { phone: PhoneOfApp; windowMs: number }
export const isOfPhone = (rule: LimitRule): rule is PhoneRule => rule.phone !== undefined && rule.windowMs !== 'utc-day'

/** Answers what one more issue is refused with. Nobody adds to the phone's issues while the transaction holds the phone. */
export async function confirmPhone(tx: Tx, rules: readonly PhoneRule[]): Promise<Refusal | undefined> {
  const [first] = rules
  if (!first) return undefined
  const asked = rules.map(({ max, windowMs }) => ({ nth: max, withinMs: windowMs }))
  const made = await tx.issues.nthNewest(first.phone, asked)
  const waits = rules.map(({ windowMs }, n) => {
    const at = made[n]
    // A time after now is of before the clock was set back.
    return at === undefined ? 0 : Math.max(1, Math.min(at, tx.now) + windowMs - tx.now)
  })
  const longest = Math.max(...waits)
  const rule = rules[waits.indexOf(longest)]
  return rule && longest > 0 ? limited(rule, longest) : undefined
}
