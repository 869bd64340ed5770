import { expect, test } from 'bun:test'
import { emptyTally, type UsageSum } from '../../src/domain/operations/usage'
import type { Store } from '../../src/ports/store'
import { MOST_ROWS, readReport } from '../../src/usecases/read-report'
import { errorOf } from '../support/error-of'

/** A store in which each of so many purposes was used once. */
const storeWith = (purposes: number) => {
  const sums = Array.from(
    { length: purposes },
    (_, n): UsageSum => ({
      ...{ ...emptyTally(), step: 20_000, channel: 'sms', carrier: 'main', country: 'KR' },
      ...{ purpose: `made up ${n}`, issued: 1 },
    }),
  )
  return {
    read: { apps: { withRemoved: async () => [{ appId: 'app_one' }] }, prices: { all: async () => [] } },
    lists: { usage: { sums: async () => sums } },
  } as unknown as Store
}
const ask = (purposes: number) =>
  readReport(
    { store: storeWith(purposes), clock: { now: () => 0 } },
    {
      ...{ mode: 'live', from: '2026-01-01', to: '2026-01-01', timeZone: 'UTC', groupBy: ['purpose'], limit: 1_000 },
    },
  )

test('a report with too many rows is refused, and none is cut off: callers make up purposes', async () => {
  const { rows, next, total } = await ask(MOST_ROWS)
  expect([rows.length, next === undefined, total.issued]).toEqual([1_000, false, MOST_ROWS])
  expect(await errorOf(ask(MOST_ROWS + 1))).toMatchObject({
    ...{ kind: 'invalid', detail: { param: 'groupBy', reason: 'too_many_rows' } },
  })
})
