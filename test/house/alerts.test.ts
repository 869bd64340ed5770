/** Alert rules and dashboard ask for what is told: a metric that is renamed would leave an alarm that never fires. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { invalid } from '../../src/domain/error'
import { createMetrics } from '../../src/system/telemetry/metrics'
import { anIssue, NOW } from '../domain/sample'

const DEPLOY = join(import.meta.dir, '../../deploy')

/** Everything that can be told, once. */
async function everything(): Promise<string> {
  const { told, store, watch, text } = createMetrics()
  const origin = { requestId: 'r' }
  const refusal = invalid('code', 'invalid_format', 'no')
  const whose = { appId: 'app_a', keyId: 'key_a', mode: 'live' } as const
  told.requestAnswered({ origin, route: 'POST /v1/issue', status: 400, ms: 1, refusal, ...whose })
  const decided = { origin, appId: 'app_a', mode: 'live', keyKind: 'sk', channel: 'sms', country: 'KR', ms: 1 } as const
  told.issueDecided({ ...decided, issueId: undefined, outcome: 'refused', refusal, rule: 'cap' })
  told.codeChecked({ mode: 'live', result: 'verified' })
  const attempt = { origin, issueId: 'i', mode: 'live', carrier: 'main', leg: 'sms', code: undefined, ms: 1 } as const
  told.attemptAnswered({ ...attempt, outcome: 'accepted' })
  told.codeEnded(anIssue({ verificationStatus: 'expired' }))
  told.deliveryEnded({ issue: anIssue({ deliveryStatus: 'delivered' }), carrier: 'main', endedAt: NOW + 1_000 })
  const webhook = { origin, issueId: 'i', eventId: 'e', endpointId: 'whe_a', type: 'otp.sent', attempts: 1 } as const
  told.webhookAnswered({ ...webhook, outcome: 'delivered', status: 200, ms: 1 })
  store.committed(1, 1, 1)
  store.uncommitted('failed')
  store.checkpointed(1)
  const queue = { kind: 'deliver', waiting: 1, due: 1, oldestDueMs: 1 } as const
  watch(async () => ({
    queues: [queue],
    carrierQueues: [{ ...queue, carrier: 'main' }],
    carriers: [{ name: 'main', isHealthy: true, inFlight: 1, concurrency: 1 }],
    nodes: [{ state: 'silent' }],
    pool: { size: 1, busy: 1, waiting: 0 },
    databaseBytes: 1,
    logBytes: 1,
    waitingMs: 1,
    wallets: [{ appId: 'app_a', balance: 1, reserved: 0 }],
  }))
  return text()
}

/** Labels that Prometheus adds, and those of histograms. */
const OF_PROMETHEUS = ['instance', 'job', 'le']

async function labelsByMetric(): Promise<Map<string, Set<string>>> {
  const known = new Map<string, Set<string>>()
  for (const line of (await everything()).split('\n')) {
    const [, name = '', labels = ''] = /^([a-z_0-9]+)(?:\{(.*)\})? /.exec(line) ?? []
    const names = [...labels.matchAll(/(\w+)="/g)].map(([, label = '']) => label)
    known.set(name, new Set([...(known.get(name) ?? OF_PROMETHEUS), ...names]))
  }
  return known
}

const METRIC = /\b((?:watchword|process|nodejs)_[a-z0-9_]+)(?:\{([^}]*)\})?/g

async function assertKnown(expression: string): Promise<void> {
  const known = await labelsByMetric()
  const asked = [...expression.matchAll(METRIC)]
  for (const [, name = '', selector = ''] of asked) {
    expect([...known.keys()]).toContain(name)
    for (const [, label = ''] of selector.matchAll(/(\w+)[=!]/g)) expect([...(known.get(name) ?? [])]).toContain(label)
  }
  const grouped = [...expression.matchAll(/by \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, ?/))
  const everyLabel = asked.flatMap(([, name = '']) => [...(known.get(name) ?? [])])
  for (const label of grouped) expect(everyLabel).toContain(label)
}

interface Rules {
  groups: Array<{ rules: Array<{ alert: string; expr: string; annotations: { summary: string } }> }>
}
const rules = (
  Bun.YAML.parse(await Bun.file(join(DEPLOY, 'prometheus/watchword.rules.yml')).text()) as Rules
).groups.flatMap((group) => group.rules)

test.each(rules.map(({ alert, expr }) => [alert, expr] as const))(
  'the alert %s asks for what is told',
  async (_, expr) => {
    if (expr.startsWith('up{')) return
    await assertKnown(expr)
  },
)

interface Dashboard {
  panels: Array<{ title: string; targets?: Array<{ expr: string }> }>
}
const { panels }: Dashboard = await Bun.file(join(DEPLOY, 'grafana/watchword.json')).json()

test.each(panels.map(({ title, targets = [] }) => [title, targets] as const))(
  'the panel “%s” asks for what is told',
  async (_, targets) => {
    for (const { expr } of targets) await assertKnown(expr)
  },
)

test('what is told is asked for: no metric of ours is without a panel', async () => {
  const asked = JSON.stringify(panels)
  const names = [...(await labelsByMetric()).keys()].filter((name) => name.startsWith('watchword_'))
  const families = new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))
  const WITHOUT = [
    'watchword_build_info',
    'watchword_queue_jobs',
    'watchword_carrier_in_flight',
    'watchword_carrier_concurrency',
    'watchword_unit_wait_seconds',
    'watchword_vitals_up',
  ]
  expect([...families].filter((name) => !asked.includes(name)).sort()).toEqual([...WITHOUT].sort())
})

/** Debian has it in `prometheus`; without it the rules above are all that is looked at. */
const promtool = Bun.which('promtool')
test.skipIf(promtool === null)('Prometheus itself finds the rules right, and they fire when they should', () => {
  const cwd = join(DEPLOY, 'prometheus')
  expect(Bun.spawnSync(['promtool', 'test', 'rules', 'watchword.rules.test.yml'], { cwd }).exitCode).toBe(0)
})
