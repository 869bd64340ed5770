/** `app protect`, `app block` and `app unblock`: an owner's decisions about abuse on the command line. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { HOUR_MS } from '../../src/domain/shared/value'
import { HANGS_AFTER_MS } from '../support/until'
import { runHere } from './in-process'
import { type Json, newFolder, programIn, run, runJson } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
let appId = ''

beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'shop')).appId
})
afterAll(folder.remove)

const protect = async (...args: string[]): Promise<Json> =>
  (await runJson(program, 'app', 'protect', appId, ...args)).protection

test('an app begins with everything on, caps for browser keys, and nobody trusted', async () => {
  expect(await protect()).toMatchObject({
    ...{ numberTypes: 'block', countries: 'block', capping: 'block', conversion: 'block', failures: 'block' },
    ...{ open: [], secretTo: [], closed: [], blocks: [] },
    trusted: { networks: [], countries: [], phones: 0 },
    resendMs: { sk: 0, pk: 30_000 },
    tolerance: 1,
  })
})

test('each decision stays beside the others, and is shown in words', async () => {
  await protect('--conversion', 'watch', '--tolerance', '2', '--caps', 'off', '--open', 'jp', 'US')
  await protect(
    '--cap',
    'pk:country:messages:day=500',
    'sk:app:credits:hour=2000',
    'relay:prefix:messages:hour=90',
    '--resend',
    '5',
  )
  await protect('--trust-network', '203.0.113.0/24', '--trust-country', 'kr')
  await protect('--trust-phone', '010-1234-5678')
  const { stdout } = await run(program, 'app', 'protect', appId)
  expect(stdout.trimEnd().split('\n')).toEqual([
    'A number that cannot receive SMS, or costs a premium, is refused.',
    'Browser keys send to KR, JP, US, secret keys to every country.',
    'A code above a cap is not checked:',
    '  pk:country:messages:day=500',
    '  sk:app:credits:hour=2000',
    '  relay:prefix:messages:hour=90',
    'Low conversion is only reported.',
    'Tolerated: 2 times the baseline of unverified codes.',
    'Allow list: 203.0.113.0/24, KR, 1 phone.',
    'Another code for one phone and purpose: after 30 s with browser keys, 5 s with secret keys.',
    'A phone is locked after 100 wrong codes for a day.',
  ])
  await protect('--number-types', 'watch', '--failures', 'off', '--secret-to', 'kr')
  const decided = (await run(program, 'app', 'protect', appId)).stdout
  expect(decided).toContain('A number that cannot receive SMS, or costs a premium, is only reported.')
  expect(decided).toContain('Browser keys send to KR, JP, US, secret keys to KR.')
  expect(decided).toContain('A phone with too many wrong codes is not checked.')
  expect(await protect('--secret-to')).toMatchObject({ numberTypes: 'watch', failures: 'off', secretTo: [] })
  expect(await protect('--trust-no-phone', '--trust-network', '--cap')).toMatchObject({
    caps: [],
    trusted: { networks: [], countries: ['KR'], phones: 0 },
  })
})

test('a place is stopped for a while, and sent to again', async () => {
  const before = Date.now()
  const { until } = await runJson(program, 'app', 'block', appId, '--country', 'gb', '--hours', '2', '--yes')
  expect(Date.parse(until) - 2 * HOUR_MS).toBeWithin(before, Date.now() + 1)
  await runJson(program, 'app', 'block', appId, '--country', 'KR', '--prefix', '+82101234', '--yes')
  const { blocks } = await protect()
  expect(blocks).toMatchObject([{ country: 'GB' }, { country: 'KR', prefix: expect.stringMatching(/^[0-9a-f]{16}$/) }])
  await runJson(program, 'app', 'unblock', appId, '--country', 'KR', '--prefix', '+82101234')
  await runJson(program, 'app', 'unblock', appId, '--country', 'GB')
  expect((await protect()).blocks).toEqual([])
})

test('a block says first which keys and how many codes it touches, and is for one kind of key where that is named', async () => {
  await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  const refused = await run(program, 'app', 'block', appId, '--country', 'GB')
  expect(refused.exitCode).toBe(2)
  expect(refused.stderr).toContain(
    'Send nothing to GB for a day, with any key? Affected: 1 secret key (0 codes in the last hour), ' +
      '0 browser keys (0 codes in the last hour), 0 relays (0 codes in the last hour). There is no terminal to ask on: add --yes',
  )
  expect(await protect()).toMatchObject({ blocks: [] })
  const ofBrowsers = ['--country', 'GB', '--kind', 'pk', '--yes']
  expect(await runJson(program, 'app', 'block', appId, ...ofBrowsers)).toMatchObject({ country: 'GB', kind: 'pk' })
  expect((await protect()).blocks).toMatchObject([{ country: 'GB', kind: 'pk' }])
  const { stdout } = await run(program, 'app', 'protect', appId)
  expect(stdout).toContain('with browser keys')
  await runJson(program, 'app', 'unblock', appId, '--country', 'GB')
  expect((await protect()).blocks).toEqual([])
})

test.each([
  ['a mode that is none', ['protect', '--caps', 'maybe'], 2],
  ['a tolerance that is none', ['protect', '--tolerance', '9'], 2],
  ['a cap that is none', ['protect', '--cap', 'pk:world:messages:day=5'], 2],
  ['a cap of nothing', ['protect', '--cap', 'pk:app:messages:day=0'], 1],
  ['a cap twice', ['protect', '--cap', 'pk:app:messages:day=1', 'pk:app:messages:day=2'], 1],
  ['a network that is none', ['protect', '--trust-network', '10.1/16'], 1],
  ['a country that is none to send to', ['protect', '--secret-to', 'XX'], 1],
  ['a country that is none', ['protect', '--trust-country', 'XX'], 1],
  ['a phone that is none', ['protect', '--trust-phone', '12'], 1],
  ['no country', ['block'], 2],
  ['a country that is none to block', ['block', '--country', 'XX', '--yes'], 1],
  ['a prefix that is none', ['block', '--country', 'KR', '--prefix', '0101234'], 2],
] as Array<[string, string[], number]>)(
  '%s is refused, and nothing changes',
  async (_, [command = '', ...args], code) => {
    const decided = async () => (await runHere(program, 'app', 'protect', appId)).stdout
    const before = await decided()
    const { exitCode, stdout, stderr } = await runHere(program, 'app', command, appId, ...args)
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    expect(stderr.length).toBeGreaterThan(10)
    expect(await decided()).toBe(before)
  },
)

test('a mistake ends the program, too', async () => {
  const { exitCode, stdout, stderr } = await run(program, 'app', 'protect', appId, '--caps', 'maybe')
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' })
  expect(stderr.length).toBeGreaterThan(10)
})

test('the audit log says what was decided, and no phone', async () => {
  const { exitCode, stdout } = await run(program, 'audit', 'list', '--json')
  expect(exitCode).toBe(0)
  const entries: Json[] = JSON.parse(stdout).entries
  const actions = new Set(entries.map(({ action }) => action))
  for (const action of ['app.protect', 'app.trust', 'app.block', 'app.unblock']) expect([...actions]).toContain(action)
  expect(stdout).not.toMatch(/1234-5678|82101234/)
})
