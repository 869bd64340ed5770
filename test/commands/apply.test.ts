/** `apply` and `export` as somebody types them. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newFolder, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const PROGRAM = { command: [process.execPath, join(import.meta.dir, '../../src/main.ts')], cwd: tmpdir() }
const COMMAND = PROGRAM.command

const FILE = `
carriers:
  - name: main
    type: solapi
    channels: [sms]
    settings: { apiKey: env:WW_TEST_KEY, apiSecret: file:solapi.secret, from: "0212345678" }
apps:
  - { name: shop, region: KR }
`

let folder: ReturnType<typeof newFolder>
let data: string
beforeEach(() => {
  folder = newFolder()
  data = join(folder.path, 'data')
  writeFileSync(join(folder.path, 'watchword.yaml'), FILE)
  writeFileSync(join(folder.path, 'solapi.secret'), 'sealed\n')
})
afterEach(() => folder.remove())

function run(words: string[], { env = { WW_TEST_KEY: 'k' }, stdin = '' }: { env?: object; stdin?: string } = {}) {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...COMMAND, ...words], {
    env: { ...process.env, WATCHWORD_DATABASE_URL: undefined, ...env },
    cwd: folder.path,
    stdin: Buffer.from(stdin),
  })
  return { exitCode, out: stdout.toString(), err: stderr.toString() }
}

test('a dry run makes nothing, not even a data folder', () => {
  expect(run(['apply', '--dry-run', '--data', data])).toMatchObject({ exitCode: 1 })
  expect(existsSync(data)).toBe(false)
})

test('a file is applied before the first start, by a server far away, and differs no more', async () => {
  expect(run(['apply', '--data', data]).out).toContain('+ carrier main\n+ app shop\n2 things changed.')
  expect(run(['apply', '--data', data]).out).toBe('Nothing differs from the file.\n')
  const server = await Server.start(PROGRAM, '--data', data)
  try {
    const made = run(['token', 'create', 'git', '--scopes', 'apps:write', 'carriers:read', '--data', data, '--json'])
    writeFileSync(join(folder.path, 'token'), `${JSON.parse(made.out).token}\n`)
    const there = ['--server', server.url, '--token-file', 'token']
    writeFileSync(join(folder.path, 'us.yaml'), 'apps: [{ name: shop, region: US }]')
    const dry = run(['apply', '-f', 'us.yaml', '--dry-run', '--json', ...there])
    const step = { sign: '~', what: 'app shop', details: ['region: "KR" → "US"'] }
    expect(JSON.parse(dry.out)).toEqual({ steps: [step], applied: false })
    expect(run(['apply', '-f', 'us.yaml', ...there]).exitCode).toBe(0)
    expect(run(['app', 'list', '--data', data]).out).toContain('US')
    writeFileSync(join(folder.path, 'token'), 'wrong')
    expect(run(['apply', ...there])).toMatchObject({
      exitCode: 1,
      err: expect.stringContaining('The token is missing'),
    })
  } finally {
    await server.stop()
  }
})

test('an export can be applied, with the secrets that it refers to', () => {
  run(['apply', '--data', data])
  const { out } = run(['export', '--data', data])
  expect(out).not.toContain('sealed')
  const applied = run(['apply', '-f', '-', '--prune', '--data', data], {
    stdin: out,
    env: { MAIN_APISECRET: 'sealed' },
  })
  expect(applied.out).toBe('Nothing differs from the file.\n')
})

test('steps that were taken before one is refused are told, with the secrets that are shown only then', () => {
  const stdin = `
carriers: [{ name: own, type: http, channels: [sms], settings: { url: "https://sms.example.com/", reports: "true" } }]
apps: [{ name: shop, region: XX }]`
  const { exitCode, out, err } = run(['apply', '-f', '-', '--data', data], { stdin })
  expect([exitCode, err]).toEqual([1, expect.stringContaining('app shop: region: must be an ISO 3166')])
  expect(out).toContain('+ carrier own\n1 thing changed.')
  expect(out).toContain('carrier own, reportSecret: ')
})

test('a token without its server is refused: the data folder is not meant', () => {
  expect(run(['apply', '--token-file', 'token'])).toMatchObject({
    exitCode: 2,
    err: expect.stringContaining('--server'),
  })
  expect(run(['apply', '--server', 'http://127.0.0.1:1', '--token-file', 'none'])).toMatchObject({
    ...{ exitCode: 1, err: expect.stringContaining('no such file') },
  })
})

test.each([
  ['a field that is unknown', 'apps: [{ nme: shop }]', 'apps.0: unknown field nme'],
  ['a file that is no YAML', 'apps: [', 'line 1'],
  [
    'a reference to what is not set',
    'carriers: [{ name: a, type: b, channels: [sms], settings: { c: env:NOPE } }]',
    'NOPE',
  ],
])('%s is refused by name, and nothing is made', (_, stdin, named) => {
  const { exitCode, err } = run(['apply', '-f', '-', '--data', data], { stdin })
  expect([exitCode, err]).toEqual([1, expect.stringContaining(named)])
  expect(existsSync(data)).toBe(false)
})

test('editors get a JSON schema', () => {
  const { properties } = JSON.parse(run(['apply', '--schema']).out)
  expect(Object.keys(properties)).toEqual(['carriers', 'apps', 'routes', 'operators'])
})
