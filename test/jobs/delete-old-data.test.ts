/** What is deleted how long after: decisions, "Retention". */
import { expect, test } from 'bun:test'
import type { Store, Tx } from '../../src/ports/store'
import { deleteOldData } from '../../src/usecases/delete-old-data'
import { NOW } from '../domain/sample'

const HOUR_MS = 60 * 60_000

/** Hours ago, or nothing, by what is asked to go; `left`: so much of it there is. */
async function deleted(left = 0, retentions: Array<number | undefined> = [undefined]) {
  const asked: Record<string, Array<number | undefined>> = {}
  const limits = new Set<number>()
  const remaining = new Map<string, number>()
  const take = (what: string, before: number | undefined, limit: number) => {
    const hours = before === undefined ? undefined : (NOW - before) / HOUR_MS
    asked[what] = [...(asked[what] ?? []), hours]
    limits.add(limit)
    const there = remaining.get(what) ?? left
    remaining.set(what, Math.max(0, there - limit))
    return Promise.resolve(Math.min(there, limit))
  }
  const retention: Tx['retention'] = {
    issues: ({ appId, mode }, before, limit) => take(`${mode} of ${appId}`, before, limit),
    failures: (before, limit) => take('failures', before, limit),
    reports: (before, limit) => take('reports', before, limit),
    hooks: (before, limit) => take('webhooks', before, limit),
    decisions: (before, limit) => take('decisions', before, limit),
    forget: (what, { appId, mode }, { before }, limit) => take(`${what} of ${mode} ${appId}`, before, limit),
    forgottenUntil: async () => undefined,
    noteForgotten: async () => {},
    trafficHours: (appId, before, limit) => take(`trafficHours of ${appId}`, before, limit),
    trafficSnapshots: (before, limit) => take('trafficSnapshots', before, limit),
    incidents: (before, limit) => take('incidents', before, limit),
    notices: (before, limit) => take('notices', before, limit),
    absences: (before, limit) => take('absences', before, limit),
    outbox: (limit) => take('outbox', undefined, limit),
  }
  const transaction = ((work) => work({ retention } as Tx)) as Store['transaction']
  const days = { liveRetentionDays: 180, idempotencyDays: 7 }
  const apps = retentions.map((retentionDays, n) => ({ appId: `app_${n}`, retentionDays }))
  const carriers = { all: async () => [] }
  const read = { apps: { withRemoved: async () => apps }, carriers } as unknown as Store['read']
  await deleteOldData({ store: { transaction, read } as Store, clock: { now: () => NOW }, ...days })
  return { asked, limits: [...limits] }
}

test('each has its time', async () => {
  expect((await deleted()).asked).toEqual({
    'test of app_0': [7 * 24],
    'live of app_0': [180 * 24],
    'keys of live app_0': [7 * 24],
    'keys of test app_0': [7 * 24],
    failures: [365 * 24],
    reports: [2 * 24],
    webhooks: [30 * 24],
    decisions: [30 * 24],
    'networks of live app_0': [30 * 24],
    'networks of test app_0': [30 * 24],
    'trafficHours of app_0': [365 * 24],
    trafficSnapshots: [24],
    incidents: [365 * 24],
    notices: [90 * 24],
    absences: [0],
    outbox: [undefined],
  })
})

test('an app may have a time of its own', async () => {
  expect((await deleted(0, [undefined, 30, 400])).asked).toMatchObject({
    'test of app_1': [7 * 24],
    'live of app_0': [180 * 24],
    'live of app_1': [30 * 24],
    'live of app_2': [400 * 24],
  })
})

test('much of it goes a little at a time, so that nobody waits long, and goes all', async () => {
  const { asked, limits } = await deleted(401)
  expect(limits).toEqual([200])
  for (const times of Object.values(asked)) expect(times).toHaveLength(3)
})
