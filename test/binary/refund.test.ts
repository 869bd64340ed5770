/** `credit refund` of an incident, as a process beside the service whose database it works on. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HANGS_AFTER_MS, until } from '../support/until'
import { SECRET, SMS_URL, World } from '../support/world'
import { newFolder, programIn, run, runJson } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const ISSUES = 300
const WHEN = ['--from', '2026-03-01', '--to', '2026-03-02', '--outcome', 'ambiguous']

const folder = newFolder()
let world: World
let appId = ''
let program: ReturnType<typeof programIn>

beforeAll(async () => {
  world = await World.start()
  const keys = await world.furnish()
  appId = keys.appId
  await world.provide('main', ['sms'], SMS_URL, { reports: false })
  for (let n = 0; n < ISSUES; n++) {
    const input = { phoneNumber: `010-2000-${1_000 + n}`, purpose: 'p', idempotencyKey: `k${n}` }
    expect((await world.call('rest', 'issue', input, { key: keys.live })).status).toBe(200)
  }
  await world.settle()
  await world.write('UPDATE issues SET outcome_ambiguous = true, delivery_status = ?', 'sent')
  program = programIn(folder.path, { WATCHWORD_DATA: world.dir, WATCHWORD_SECRET: SECRET })
})
afterAll(async () => {
  await world.stop()
  folder.remove()
})

const refunds = async () => (await world.rows("SELECT issue_id FROM ledger_entries WHERE entry_type = 'refund'")).length
const balances = async () =>
  (await world.rows<{ balance: number }>('SELECT balance FROM wallets')).map(({ balance }) => balance)

test.each([
  ['nobody', []],
  ['an app and all apps', ['--app', 'x', '--all-apps', ...WHEN]],
  ['an issue without its app', ['--issue', 'x']],
  ['an issue and an incident', ['--app', 'x', '--issue', 'y', ...WHEN]],
  ['no time', ['--all-apps', '--outcome', 'ambiguous']],
  ['another outcome', ['--all-apps', ...WHEN.slice(0, 4), '--outcome', 'delivered']],
] as Array<[string, string[]]>)('of %s is wrong usage', async (_, args) => {
  expect(await run(program, 'credit', 'refund', ...args)).toMatchObject({ exitCode: 2, stdout: '' })
})

test('--dry-run says what would be refunded, and changes nothing', async () => {
  expect(await runJson(program, 'credit', 'refund', '--all-apps', ...WHEN, '--dry-run')).toEqual({
    outcome: 'ambiguous',
    from: '2026-03-01T00:00:00.000Z',
    to: '2026-03-02T00:00:00.000Z',
    issues: ISSUES,
    credits: ISSUES,
    refundedBefore: 0,
    undecided: 0,
    dryRun: true,
  })
  expect(await refunds()).toBe(0)
})

test('without a terminal it needs --yes, and says how much goes back', async () => {
  const { exitCode, stdout, stderr } = await run(program, 'credit', 'refund', '--app', appId, ...WHEN)
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr).toMatch(new RegExp(`^Refund ${ISSUES} CREDIT for ${ISSUES} issues of ${appId}\\?.*--yes\\n$`))
  expect(await refunds()).toBe(0)
})

/** Whoever refunds so many comes no further: it counts for longer than a test may take. */
const TRAP_AT = ISSUES / 2
const TRAP = `CREATE TRIGGER trap AFTER INSERT ON ledger_entries
  WHEN (SELECT count(*) FROM ledger_entries WHERE entry_type = 'refund') >= ${TRAP_AT}
  BEGIN SELECT (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n); END`

test('killed on its way and begun anew it refunds each issue once; once more, none', async () => {
  const args = ['credit', 'refund', '--all-apps', ...WHEN, '--carrier', 'main', '--yes']
  await world.write(TRAP)
  const child = Bun.spawn([...program.command, ...args], {
    cwd: program.cwd,
    env: program.env ?? {},
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  await until(async () => (await refunds()) > 0, 'the first of them')
  child.kill('SIGKILL')
  await child.exited
  await world.write('DROP TRIGGER trap')
  const before = await refunds()
  expect(before).toBeGreaterThan(0)
  expect(before).toBeLessThan(ISSUES)
  const rest = { issues: ISSUES - before, credits: ISSUES - before, refundedBefore: before }
  expect(await runJson(program, ...args)).toMatchObject(rest)
  expect([await refunds(), await balances()]).toEqual([ISSUES, [1_000]])
  expect(await runJson(program, ...args)).toMatchObject({ issues: 0, refundedBefore: ISSUES })
  expect((await run(program, ...args)).stdout).toBe(
    `0 issues, 0 CREDIT, can be refunded.\n${ISSUES} were refunded before.\n`,
  )
  expect(await runJson(program, 'audit', 'verify')).toMatchObject({ isIntact: true })
})
