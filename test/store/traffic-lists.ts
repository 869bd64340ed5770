/** What every store promises about the lists for owners: decisions of rules, traffic, and incidents. */
import { describe, expect, test } from 'bun:test'
import type { Incident } from '../../src/abuse/rules/incident'
import { HOUR_MS, MINUTE_MS } from '../../src/domain/shared/value'
import type { Decision, SegmentHour } from '../../src/ports/store/traffic'
import { APP, hash16, NOW, uuidAt } from './sample'
import type { AtHand } from './webhooks'

const HOUR = Math.floor(NOW / HOUR_MS) * HOUR_MS
const NOWHERE = new Uint8Array()

const decision = (changes: Partial<Decision> = {}): Decision => ({
  ...{ appId: APP.appId, minute: HOUR, kind: 'pk', country: 'GB', rule: 'country_unverified', isRefused: true },
  ...{ prefixHash: hash16(1), networkHash: NOWHERE, times: 1, credits: 3 },
  ...changes,
})

const incident = (n: number, changes: Partial<Incident> = {}): Incident => ({
  ...{ incidentId: uuidAt(NOW, n), appId: APP.appId, kind: 'pk', country: `C${n}`, since: NOW + n, lastAt: NOW + n },
  ...{ endedAt: undefined, isBlocked: true, refused: n, rules: ['country_unverified'] },
  ...{ cost: n, refunded: undefined },
  ...changes,
})

async function all<Row>(pages: AsyncIterable<Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const page of pages) rows.push(...page)
  return rows
}

/** How many turns of the event loop other code had until `work` was done. */
async function turnsWithin(work: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isOver = true
  return turns
}

export function trafficListsSuite(atHand: () => AtHand): void {
  const lists = () => atHand().other.lists.traffic
  const decide = (...decisions: Decision[]) => atHand().store.transaction((tx) => tx.traffic.addDecisions(decisions))
  const send = (appId: string, ...hours: SegmentHour[]) =>
    atHand().store.transaction((tx) => tx.traffic.saveHours(appId, hours))
  const open = (...incidents: Incident[]) =>
    atHand().store.transaction(async (tx) => {
      for (const one of incidents) await tx.traffic.saveIncident(one)
    })

  describe('what owners look at:', () => {
    test('what rules were against comes in the order of time, of one app and one time', async () => {
      const first = decision({ kind: 'sk', country: '', rule: 'cap', isRefused: false, prefixHash: NOWHERE })
      const second = decision({ minute: HOUR + MINUTE_MS, networkHash: hash16(2), times: 5, credits: 15 })
      await decide(
        second,
        first,
        decision({ minute: HOUR - MINUTE_MS }),
        decision({ minute: HOUR + HOUR_MS }),
        decision({ appId: 'app_two' }),
      )
      expect(await all(lists().decisions(APP.appId, HOUR, HOUR + HOUR_MS))).toEqual([first, second])
      expect(await all(lists().decisions('app_none', HOUR, HOUR + HOUR_MS))).toEqual([])
    })

    test('of many decisions each comes once, and others have their turn between the pages', async () => {
      const many = Array.from({ length: 2_500 }, (_, n) =>
        decision({
          ...{ minute: HOUR + (n % 2) * MINUTE_MS, isRefused: n % 3 === 0, country: n % 5 ? 'GB' : 'VN' },
          networkHash: hash16(n),
        }),
      )
      await decide(...many)
      const found: Decision[] = []
      const turns = await turnsWithin(async () => {
        found.push(...(await all(lists().decisions(APP.appId, HOUR, HOUR + HOUR_MS))))
      })
      const named = (decisions: readonly Decision[]) =>
        decisions.map((one) => Buffer.from(one.networkHash).toString('hex'))
      expect(found.length).toBe(2_500)
      expect(named(found).sort()).toEqual(named(many).sort())
      expect(turns).toBeGreaterThanOrEqual(2)
    })

    test('what was sent comes by the hour, of one app and one time', async () => {
      const hour = (hour: number, changes: Partial<SegmentHour> = {}): SegmentHour => ({
        ...{ hour, kind: 'pk', country: 'KR', sent: 9, credits: 27, verified: 5, unverified: 3 },
        ...changes,
      })
      const sent = [hour(HOUR, { kind: 'pk' }), hour(HOUR, { kind: 'sk', country: '' }), hour(HOUR + HOUR_MS)]
      await send(APP.appId, ...sent, hour(HOUR - HOUR_MS), hour(HOUR + 2 * HOUR_MS))
      await send('app_two', hour(HOUR))
      expect(await all(lists().sent(APP.appId, HOUR, HOUR + 2 * HOUR_MS))).toEqual(sent)
      const many = Array.from({ length: 1_500 }, (_, n) => hour(HOUR + n * HOUR_MS))
      await send('app_many', ...many)
      expect(await all(lists().sent('app_many', HOUR, HOUR + 1_500 * HOUR_MS))).toEqual(many)
    })

    test('open incidents come of one app or of all, ended ones page by page; the newest first', async () => {
      const over = [1, 2, 3, 4].map((n) => incident(n, { endedAt: NOW + 50, refunded: 7 }))
      // Two incidents that began at the same time are listed separately.
      const twin = incident(5, { since: NOW + 3, endedAt: NOW + 50 })
      const going = [incident(6), incident(7, { kind: 'sk', rules: ['cap', 'blocked'] })]
      const others = [incident(8, { appId: 'app_two' }), incident(9, { appId: 'app_two', endedAt: NOW + 9 })]
      await open(...over, twin, ...going, ...others)
      expect(await lists().open({ appId: APP.appId, limit: 9 })).toEqual(going.toReversed())
      expect(await lists().open({ limit: 9 })).toEqual([others[0] as Incident, ...going.toReversed()])
      expect((await lists().open({ limit: 2 })).length).toBe(2)

      const pages: Incident[][] = []
      for (let before: Incident | undefined; pages.length < 4; before = pages.at(-1)?.at(-1))
        pages.push(await lists().ended(APP.appId, { before, limit: 2 }))
      expect(pages).toEqual([[over[3], twin], [over[2], over[1]], [over[0]], []] as Incident[][])
    })
  })
}
