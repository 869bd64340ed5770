/** Alert rules and dashboard ask for what is told: a metric that is renamed would leave an alarm that never fires. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { WEBHOOK_BACKLOG, WEBHOOK_LATE_MS } from '../../src/domain/operations/job'
import { invalid } from '../../src/domain/shared/error'
import { createMetrics } from '../../src/system/telemetry/metrics'
import { anIssue, NOW } from '../domain/sample'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const DEPLOY = join(import.meta.dir, '../../deploy')

/** Everything that can be told, once. */
async function tellEverything(): Promise<string> {
  const { sink: told, store, watch, text } = createMetrics()
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
  told.deliveryEnded({ message: anIssue({ deliveryStatus: 'delivered' }), carrier: 'main', endedAt: NOW + 1_000 })
  const webhook = { origin, issueId: 'i', eventId: 'e', endpointId: 'whe_a', type: 'otp.sent', attempts: 1 } as const
  told.webhookAnswered({ ...webhook, outcome: 'delivered', status: 200, ms: 1 })
  told.reportReceived({ carrier: 'main', outcome: 'recorded', unsaid: undefined })
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
    freeBytes: 1,
    notices: ['no_credit'],
    waitingMs: 1,
    wallets: [{ appId: 'app_a', balance: 1, reserved: 0 }],
  }))
  return text()
}

const everything = tellEverything()

interface Dashboard {
  panels: Array<{ title: string; targets?: Array<{ expr: string }> }>
}
const { panels }: Dashboard = await Bun.file(join(DEPLOY, 'grafana/watchword.json')).json()
const allPanels = () => panels.flatMap(({ targets = [] }) => targets)

/** Labels that Prometheus adds, and those of histograms. */
const OF_PROMETHEUS = ['instance', 'job', 'le']

async function labelsByMetric(): Promise<Map<string, Set<string>>> {
  const known = new Map<string, Set<string>>()
  for (const line of (await everything).split('\n')) {
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

interface Rule {
  /** Of an alert; the other kind records a series. */
  alert?: string
  record?: string
  expr: string
  for?: string
  labels?: { severity?: string }
  annotations?: { summary?: string }
}
const yaml = async <Of>(name: string) => Bun.YAML.parse(await Bun.file(join(DEPLOY, 'prometheus', name)).text()) as Of
const RULE_TESTS = ['watchword.rules.test.yml', 'watchword.objectives.test.yml']
const { groups } = await yaml<{ groups: Array<{ rules: Rule[] }> }>('watchword.rules.yml')
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.filter((rule): rule is Rule & { alert: string } => rule.alert !== undefined)
const recorded = new Map(rules.flatMap(({ record, expr }) => (record === undefined ? [] : [[record, expr] as const])))

test.each(rules.map(({ alert, record, expr }) => [alert ?? record ?? '', expr] as const))(
  'the rule %s asks for what is told',
  async (_, expr) => {
    if (/^(absent\()?up\{/.test(expr)) return
    await assertKnown(expr)
    for (const [name] of expr.matchAll(/\bwatchword:[\w:]+/g)) expect([...recorded.keys()]).toContain(name)
    const told = await everything
    for (const [bucket] of expr.matchAll(/le="[^"]*"/g)) expect(told).toContain(bucket)
  },
)

test.each([...rules, ...allPanels()].map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')))(
  'Prometheus can read %s',
  (expr) => {
    const mistakes: string[] = []
    parser.parse(expr).iterate({
      enter: ({ type, from, to }) => {
        if (type.isError) mistakes.push(expr.slice(Math.max(0, from - 10), to + 10))
      },
    })
    expect(mistakes).toEqual([])
  },
)

test.each(alerts)('the alert $alert says how urgent it is and what it is about, and after how long', (rule) => {
  expect(['page', 'warn']).toContain(rule.labels?.severity ?? '')
  expect(rule.annotations?.summary).toBeString()
  expect(rule.for ?? '0s').toMatch(/^\d+[smh]$/)
})

test('the runbook has a line for each alert, and each is tried by a test of the rules', async () => {
  const names = alerts.map(({ alert }) => alert).toSorted()
  const runbook = await Bun.file(join(DEPLOY, '../docs/watching.md')).text()
  const lines = [...runbook.matchAll(/^\| `(Watchword\w+)` \| [^|]{10,} \| [^|]{10,} \|$/gm)]
  expect(lines.map(([, name = '']) => name).toSorted()).toEqual(names)
  type Tests = { tests: Array<{ alert_rule_test: Array<{ alertname: string; exp_alerts: unknown[] }> }> }
  const tests = (await Promise.all(RULE_TESTS.map((name) => yaml<Tests>(name)))).flatMap((file) => file.tests)
  const firing = tests.flatMap((each) => each.alert_rule_test).filter(({ exp_alerts }) => exp_alerts.length > 0)
  expect([...new Set(firing.map(({ alertname }) => alertname))].toSorted()).toEqual(names)
})

/** Google's, for a budget of 30 days: the long window and the short one, and how many times too fast it is spent. */
const BURN_RATES = {
  Fast: [
    ['1h', '5m', '14.4'],
    ['6h', '30m', '6'],
  ],
  Slow: [
    ['1d', '2h', '3'],
    ['3d', '6h', '1'],
  ],
}
const BURNS = /watchword:(\w+):ratio_rate(\w+) > ([\d.]+) \* ([\d.]+)\s+and watchword:\1:ratio_rate(\w+) > \3 \* \4\b/g

test.each([
  ['WatchwordAvailability', 'failed_requests', '0.001'],
  ['WatchwordLatency', 'slow_requests', '0.01'],
])('%s is alerted by how fast its budget is spent, in a long window and a short one', (name, series, budget) => {
  for (const [speed, windows] of Object.entries(BURN_RATES)) {
    const { expr = '' } = alerts.find(({ alert }) => alert === `${name}Burns${speed}`) ?? {}
    const found = [...expr.matchAll(BURNS)].map(([, ...parts]) => parts)
    expect(found).toEqual(windows.map(([long = '', short = '', rate = '']) => [series, long, rate, budget, short]))
  }
  for (const [record, expr] of recorded) {
    const [, window = ''] = new RegExp(`^watchword:${series}:ratio_rate(\\w+)$`).exec(record) ?? []
    if (window) expect(new Set([...expr.matchAll(/\[(\w+)\]/g)].map(([, of]) => of))).toEqual(new Set([window]))
  }
})

test('the backlog of webhooks that is alerted is the one that the doctor and the console tell of', () => {
  const exprOf = (name: string) => alerts.find(({ alert }) => alert === name)?.expr
  expect(exprOf('WatchwordWebhooksWait')).toEndWith(` > ${WEBHOOK_BACKLOG}`)
  expect(exprOf('WatchwordWebhooksLate')).toEndWith(` > ${WEBHOOK_LATE_MS / 1_000}`)
})

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
    'watchword_notices_open',
    'watchword_disk_free_bytes',
    'watchword_reports_total',
  ]
  expect([...families].filter((name) => !asked.includes(name)).sort()).toEqual([...WITHOUT].sort())
})

/** Debian has it in `prometheus`; without it the rules above are all that is looked at. */
const promtool = Bun.which('promtool')
test.skipIf(promtool === null)('Prometheus itself finds the rules right, and they fire when they should', () => {
  const cwd = join(DEPLOY, 'prometheus')
  expect(Bun.spawnSync(['promtool', 'test', 'rules', ...RULE_TESTS], { cwd }).exitCode).toBe(0)
})
