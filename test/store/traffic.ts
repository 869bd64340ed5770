/** What every store promises about traffic. */
import { describe, expect, test } from 'bun:test'
import type { Incident } from '../../src/abuse/rules/incident'
import type { Tx } from '../../src/ports/store'
import type { Decision, SegmentHour } from '../../src/ports/store/traffic'
import { hash32, issueNumber, NOW, OWNER, outcomeOf, settled, uuidAt } from './sample'
import type { AtHand } from './webhooks'

const HOUR_MS = 3_600_000
const APP = OWNER.appId
const LANE = { kind: 'pk', country: 'KR' } as const

const hash8 = (fill: number) => Buffer.alloc(8, fill)

const hourOf = (hour: number, changes: Partial<SegmentHour> = {}): SegmentHour => ({
  ...{ ...LANE, hour: hour * HOUR_MS, sent: 5, credits: 6, verified: 4, unverified: 1 },
  ...changes,
})

const decisionOf = (changes: Partial<Decision> = {}): Decision => ({
  ...{ appId: APP, minute: 60_000, ...LANE, rule: 'cap', isRefused: true },
  ...{ prefixHash: hash8(1), networkHash: new Uint8Array(), times: 2, credits: 3 },
  ...changes,
})

const incidentNumber = (n: number, changes: Partial<Incident> = {}): Incident => ({
  ...{ incidentId: uuidAt(NOW, 0x700 + n), appId: APP, ...LANE, since: NOW, lastAt: NOW + 1, endedAt: undefined },
  ...{ isBlocked: true, refused: 3, rules: ['cap', 'country_unverified'] },
  ...{ cost: 4, refunded: undefined },
  ...changes,
})

export function trafficSuite(atHand: () => AtHand): void {
  const run = <T>(work: (tx: Tx) => Promise<T>) => atHand().store.transaction(work)
  const saved = (...incidents: Incident[]) =>
    run(async (tx) => {
      for (const incident of incidents) {
        await tx.traffic.lockIncident(incident.appId, incident)
        await tx.traffic.saveIncident(incident)
      }
    })
  const seen = async (from: number, to: number, which: 'all' | 'verified' = 'all') =>
    (await Array.fromAsync(atHand().other.read.traffic.issues(APP, from, to, which))).flat()

  describe('live codes of an app', () => {
    test('are seen with where they went and what became of them, those of a time, the oldest first', async () => {
      const sent = issueNumber(1, {
        createdAt: NOW,
        keyKind: 'pk',
        prefixHash: hash8(1),
        networkHash: hash8(2),
        price: 3,
      })
      const verified = settled(2, {
        createdAt: NOW + 10,
        verificationStatus: 'verified',
        verifiedAt: NOW + 15,
        country: undefined,
      })
      const others = [
        issueNumber(3, { createdAt: NOW + 5, mode: 'test' }),
        issueNumber(4, { createdAt: NOW + 5, appId: 'app_two' }),
        issueNumber(5, { createdAt: NOW + 20 }),
        issueNumber(6, { createdAt: NOW - 1 }),
      ]
      await run(async (tx) => {
        for (const issue of [verified, sent, ...others]) await tx.issues.add(issue)
      })
      expect(await seen(NOW, NOW + 20)).toEqual([
        {
          ...{ issueId: sent.issueId, keyKind: 'pk', country: 'KR', phoneHash: hash32(1), createdAt: NOW, price: 3 },
          ...{ prefixHash: hash8(1), networkHash: hash8(2), verifiedAt: undefined, deliveryStatus: 'queued' },
          ...{ messages: 1, verificationStatus: 'issued' },
        },
        {
          ...{
            issueId: verified.issueId,
            keyKind: 'sk',
            country: undefined,
            phoneHash: hash32(2),
            createdAt: NOW + 10,
          },
          ...{
            prefixHash: undefined,
            networkHash: undefined,
            verifiedAt: NOW + 15,
            deliveryStatus: 'delivered',
            price: 1,
          },
          messages: 1,
          verificationStatus: 'verified',
        },
      ])
    })

    test('tell which apps are in use: those that have made one since, and no more than are asked for', async () => {
      const appsSince = (from: number, limit = 10) => atHand().other.read.traffic.appsSince(from, limit)
      await run(async (tx) => {
        await tx.issues.add(issueNumber(1, { createdAt: NOW }))
        await tx.issues.add(issueNumber(2, { createdAt: NOW + 20, mode: 'test' }))
      })
      expect([await appsSince(NOW), await appsSince(NOW, 0), await appsSince(NOW + 10)]).toEqual([[APP], [], []])
    })

    test('are seen alone where they were verified', async () => {
      await run(async (tx) => {
        for (const n of [1, 2, 3])
          await tx.issues.add(
            issueNumber(n, { ...(n === 2 && { verificationStatus: 'verified', verifiedAt: NOW + 3 }) }),
          )
      })
      expect((await seen(NOW, NOW + 9, 'verified')).map(({ issueId }) => issueId)).toEqual([issueNumber(2).issueId])
    })

    test('come in pages, each once', async () => {
      await run(async (tx) => {
        for (let n = 0; n < 2_300; n++) await tx.issues.add(issueNumber(n, { createdAt: NOW + n, purpose: `p${n}` }))
      })
      const pages = await Array.fromAsync(atHand().other.read.traffic.issues(APP, NOW, NOW + 2_300, 'all'))
      expect(pages.length).toBeGreaterThan(2)
      expect(new Set(pages.flat().map(({ issueId }) => issueId)).size).toBe(2_300)
    })
  })

  describe('hours', () => {
    test('are stored as they are said last, and read from a time on', async () => {
      await run((tx) => tx.traffic.saveHours(APP, [hourOf(1), hourOf(2), hourOf(2, { country: 'JP' })]))
      await run((tx) => tx.traffic.saveHours(APP, [hourOf(2, { sent: 9, credits: 1, verified: 2, unverified: 7 })]))
      const hours = await atHand().other.read.traffic.hours(APP, 2 * HOUR_MS)
      expect(hours.sort((one, other) => one.country.localeCompare(other.country))).toEqual([
        hourOf(2, { country: 'JP' }),
        hourOf(2, { sent: 9, credits: 1, verified: 2, unverified: 7 }),
      ])
      expect(await atHand().other.read.traffic.hours('app_two', 0)).toEqual([])
      expect(await run((tx) => tx.retention.trafficHours(APP, 2 * HOUR_MS, 10))).toBe(1)
      expect(await atHand().other.read.traffic.hours(APP, 0)).toHaveLength(2)
    })
  })

  describe('what rules were against', () => {
    test('adds up by the minute, and goes after its time', async () => {
      await run((tx) => tx.traffic.addDecisions([decisionOf(), decisionOf({ prefixHash: hash8(9) })]))
      await run((tx) =>
        tx.traffic.addDecisions([decisionOf({ times: 5, credits: 1 }), decisionOf({ minute: 120_000 })]),
      )
      expect(await run((tx) => tx.retention.decisions(120_000, 10))).toBe(2)
      expect(await run((tx) => tx.retention.decisions(120_000, 10))).toBe(0)
      expect(await run((tx) => tx.retention.decisions(180_000, 10))).toBe(1)
    })
  })

  describe('an incident', () => {
    test('is read as it was stored last', async () => {
      const incident = incidentNumber(1)
      await saved(incident)
      const after = {
        ...incident,

        refused: 8,
        rules: ['cap'],
        cost: 7,
      } as const
      await saved(after)
      const { traffic } = atHand().other.read
      expect(await traffic.incident(incident.incidentId)).toEqual(after)
      expect(await traffic.openIncidents(APP)).toEqual([after])
      expect(await run((tx) => tx.traffic.lockIncident(APP, LANE))).toEqual(after)
      expect(await run((tx) => tx.traffic.lockIncidentById(incident.incidentId))).toEqual(after)
      expect(await run((tx) => tx.traffic.lockIncident(APP, { ...LANE, kind: 'sk' }))).toBeUndefined()
    })

    test('is one that is open, of an app, a kind of key and a country', async () => {
      const ended = incidentNumber(1, { endedAt: NOW + 2, refunded: 5 })
      await saved(ended, incidentNumber(2), incidentNumber(3, { country: 'JP' }))
      const { value, error } = (await outcomeOf(saved(incidentNumber(4)))) as { value?: unknown; error?: unknown }
      expect([value, error !== undefined]).toEqual([undefined, true])
      const open = await atHand().other.read.traffic.openIncidents(APP)
      expect(open.map(({ incidentId }) => incidentId).sort()).toEqual([2, 3].map((n) => incidentNumber(n).incidentId))
      expect(await atHand().other.read.traffic.allOpenIncidents()).toHaveLength(2)
      expect(await run((tx) => tx.retention.incidents(NOW + 2, 10))).toBe(0)
      expect(await run((tx) => tx.retention.incidents(NOW + 3, 10))).toBe(1)
    })
  })

  describe('a snapshot', () => {
    test('is the last one that was stored of its app, until it is deleted', async () => {
      const { read } = atHand().other
      expect(await read.traffic.snapshot(APP)).toBeUndefined()
      const other = { appId: 'app_two', madeAt: NOW + 5, state: 'of another app' }
      for (const snapshot of [
        { appId: APP, madeAt: NOW, state: 'first' },
        { appId: APP, madeAt: NOW + 1, state: 'last' },
        other,
      ])
        await run((tx) => tx.traffic.saveSnapshot(snapshot))
      expect(await read.traffic.snapshot(APP)).toEqual({ appId: APP, madeAt: NOW + 1, state: 'last' })
      expect(await run((tx) => tx.retention.trafficSnapshots(NOW + 2, 10))).toBe(1)
      expect([await read.traffic.snapshot(APP), await read.traffic.snapshot('app_two')]).toEqual([undefined, other])
    })
  })

  describe('networks', () => {
    test('of codes are forgotten after their time, and prefixes are not', async () => {
      const noted = (n: number, at: number) =>
        settled(n, { createdAt: at, prefixHash: hash8(n), networkHash: hash8(n), purpose: `p${n}` })
      const forget = (before: number, limit = 10) =>
        run((tx) => tx.retention.forget('networks', { appId: APP, mode: 'live' }, { from: 0, before }, limit))
      expect(await forget(NOW)).toBe(0)
      await run(async (tx) => {
        for (const issue of [noted(1, NOW + 1), noted(2, NOW + 2), noted(3, NOW + 30)]) await tx.issues.add(issue)
      })
      expect([await forget(NOW + 10, 1), await forget(NOW + 10, 1), await forget(NOW + 10, 1)]).toEqual([1, 1, 0])
      const hashes = async () =>
        (await seen(NOW, NOW + 99)).map(({ prefixHash, networkHash }) => [prefixHash, networkHash])
      const known = hash8(3)
      expect(await hashes()).toEqual([
        [hash8(1), undefined],
        [hash8(2), undefined],
        [known, known],
      ])
      expect(await forget(NOW + 40)).toBe(1)
    })
  })
}
