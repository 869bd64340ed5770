/** `bun bench/console.ts [--issues N]`: how long the console's calls take on a database of that size. */
import { parseArgs } from 'node:util'
import { setUpToken } from '../src/usecases/operators'
import { rollUpUsage } from '../src/usecases/read-usage'
import { ConsoleClient } from '../test/console/client'
import { World } from '../test/support/world'
import { fill } from './fill'

const { values } = parseArgs({ options: { issues: { type: 'string', default: '1000000' } } })
const issues = Number(values.issues)
const DAY_MS = 86_400_000
const CALLS = 40

const world = await World.start()
const { appId } = await world.furnish()
const now = world.clock.now()
const filledAt = performance.now()
fill({ file: world.file, appId, issues, days: 30, until: now })
process.stdout.write(`${issues} issues in ${Math.round(performance.now() - filledAt)} ms\n`)
const rolledAt = performance.now()
await rollUpUsage(world)
process.stdout.write(`rolled up in ${Math.round(performance.now() - rolledAt)} ms\n`)

const client = new ConsoleClient(world)
const token = await setUpToken(world)
await client.call('session/setUp', { token, name: 'Bench', email: 'b@example.com', password: 'a good long password' })
const owner = { appId, mode: 'live' }
const middle = (await client.call('issues/list', { ...owner, limit: 1, to: now - 15 * DAY_MS })).body.rows[0].issueId

const CASES: Record<string, [path: string, input: object]> = {
  'issues, first page': ['issues/list', owner],
  'issues, deep page': ['issues/list', { ...owner, after: middle }],
  'issues, by status': ['issues/list', { ...owner, status: 'expired' }],
  'issues, by purpose': ['issues/list', { ...owner, search: 'purpose-3' }],
  'issues, by what nothing has': ['issues/list', { ...owner, search: 'nowhere' }],
  'issues, failed deliveries of a week ago': ['issues/list', { ...owner, delivery: 'failed', to: now - 7 * DAY_MS }],
  'one issue': ['issues/story', { issueId: middle }],
  'ledger, first page': ['wallet/ledger', { appId }],
  'ledger, a month ago': ['wallet/ledger', { appId, to: now - 29 * DAY_MS }],
  wallet: ['wallet/show', { appId }],
  'usage, 24 hours': ['usage/show', { ...owner, from: now - DAY_MS, to: now, by: 'hour', groupBy: 'provider' }],
  'usage, 30 days': ['usage/show', { ...owner, from: now - 30 * DAY_MS, to: now, by: 'day', groupBy: 'purpose' }],
  carriers: ['carriers/list', {}],
  'test inbox': ['inbox/list', { appId }],
  system: ['system/show', {}],
}

for (const [name, [path, input]] of Object.entries(CASES)) {
  const times: number[] = []
  for (let call = 0; call < CALLS; call++) {
    const startedAt = performance.now()
    const { status, body } = await client.call(path, input)
    times.push(performance.now() - startedAt)
    if (status !== 200) throw new Error(`${path}: ${JSON.stringify(body)}`)
  }
  times.sort((a, b) => a - b)
  const at = (share: number) => `${(times[Math.floor(share * CALLS)] ?? 0).toFixed(1)} ms`
  process.stdout.write(`${name.padEnd(42)} p50 ${at(0.5).padStart(9)}  p95 ${at(0.95).padStart(9)}\n`)
}
await world.stop()
process.exit(0)
