/**
 * Each alarm is fired once by its real cause: the app's own metrics, before and after it, are evaluated by Prometheus itself, with
 * the rules as they are shipped. Needs Debian's package `prometheus`.
 */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DiskUsage } from '../../src/domain/operations/disk'
import type { Backups } from '../../src/ports/files'
import { createMetrics } from '../../src/system/telemetry/metrics'
import * as administer from '../../src/usecases/administer'
import { programNamed } from '../support/proxies'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

const RULES = join(import.meta.dir, '../../deploy/prometheus/watchword.rules.yml')
const HOUR_MS = 3_600_000
/** How long each look at the metrics stands, in the minutes of Prometheus. */
const MINUTES = 60

let world: World
let keys: Furnished
let metrics: ReturnType<typeof createMetrics>
let disk: DiskUsage
let backups: Backups

beforeEach(async () => {
  disk = { free: 2 ** 40, size: 1, log: 0, files: 1 }
  backups = { made: [] }
  metrics = createMetrics()
  world = await World.start({ listeners: { metrics: metrics.sink }, disk: () => disk, backups })
  metrics.watch(world.app.vitals)
  keys = await world.furnish()
  // The carriers are read.
  await world.advance(2_000)
})
afterEach(() => world.stop())

const issue = (n: number) => {
  const request = { phoneNumber: `010-2${String(n).padStart(3, '0')}-0000`, purpose: 'p', idempotencyKey: `k${n}` }
  return world.call('rest', 'issue', request, { key: keys.live })
}

async function deliver(from: number, to: number, reports: boolean): Promise<void> {
  for (let n = from; n < to; n++) {
    await issue(n)
    await world.settle()
    const { messageId = '' } = world.sms.requests.at(-1) ?? {}
    if (reports) await world.report('main', { messageId, status: 'delivered' })
  }
}

/** What makes each alarm fire; each step is followed by a look at the metrics. */
const CAUSES: Record<string, Array<() => unknown>> = {
  WatchwordNoCredit: [
    () => administer.clawBackCredit(world.admin, { appId: keys.appId, amount: 1_000, reference: 'x' }),
  ],
  WatchwordLowCredit: [() => administer.setCreditAlert(world.admin, { appId: keys.appId, below: 5_000 })],
  WatchwordDiskLow: [
    () => {
      disk = { ...disk, free: 2 ** 20 }
    },
  ],
  WatchwordBackupOverdue: [
    () => {
      backups.failedAt = world.clock.now()
      backups.nextAt = world.clock.now() + HOUR_MS
    },
  ],
  WatchwordClockSteppedBack: [() => world.clock.step(-60_000)],
  WatchwordCertificate: [
    async () => {
      const { endpoint } = await administer.addEndpoint(world.admin, {
        ...{ appId: keys.appId, mode: 'live', url: 'https://93.184.216.34/hook', events: ['otp.sent'] },
      })
      await world.write('UPDATE webhook_endpoints SET certificate_until = 0 WHERE endpoint_id = ?', endpoint.endpointId)
    },
  ],
  WatchwordReportsRefused: [
    async () => {
      for (let n = 0; n < 20; n++) await world.report('main', { messageId: 'm', status: 'delivered' }, 'a wrong secret')
    },
  ],
  WatchwordNothingDelivered: [() => deliver(0, 5, true), () => deliver(5, 35, false)],
}

/** Series with a value for each look. */
async function series(looks: readonly string[]): Promise<Array<{ series: string; values: string }>> {
  const found = looks.map(
    (text) =>
      new Map([...text.matchAll(/^(watchword_[^ #]+) (\S+)$/gm)].map(([, name = '', value = '']) => [name, value])),
  )
  const names = new Set(found.flatMap((look) => [...look.keys()]))
  return [...names].map((name) => ({
    series: name,
    values: found.map((look) => (look.has(name) ? `${look.get(name)}x${MINUTES}` : `_x${MINUTES}`)).join(' '),
  }))
}

/** Whether Prometheus says so twelve minutes after the last look began. */
async function isFiring(alertname: string, looks: readonly string[]): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'watchword-alarms-'))
  try {
    const tests = {
      rule_files: [RULES],
      evaluation_interval: '1m',
      tests: [
        {
          interval: '1m',
          input_series: await series(looks),
          promql_expr_test: [
            {
              expr: `count(ALERTS{alertname="${alertname}",alertstate="firing"})`,
              eval_time: `${(looks.length - 1) * (MINUTES + 1) + 12}m`,
              exp_samples: [{ labels: '{}', value: 1 }],
            },
          ],
        },
      ],
    }
    writeFileSync(join(folder, 'alarm.test.yml'), JSON.stringify(tests))
    return Bun.spawnSync([programNamed('promtool'), 'test', 'rules', 'alarm.test.yml'], { cwd: folder }).exitCode === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test.each(Object.keys(CAUSES))('the alarm %s is fired by its cause, and not before', async (alertname) => {
  const looks = [await metrics.text()]
  expect(await isFiring(alertname, looks)).toBe(false)
  for (const cause of CAUSES[alertname] ?? []) {
    await world.run(Promise.resolve(cause()))
    await world.advance(20_000)
    looks.push(await metrics.text())
  }
  expect(await isFiring(alertname, looks)).toBe(true)
})
