/** Commands with `--server` say what they say on the database itself. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN_NOUNS } from '../../src/domain/access/admin-token'
import { newFolder, Server } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const PROGRAM = { command: [process.execPath, join(import.meta.dir, '../../src/main.ts')], cwd: tmpdir() }

const folder = newFolder()
const HERE = ['--data', join(folder.path, 'here')]
const SERVED = ['--data', join(folder.path, 'served')]
let server: Server
let there: string[]

async function run(words: readonly string[]) {
  const child = Bun.spawn([...PROGRAM.command, ...words], {
    env: { ...process.env, WATCHWORD_DATABASE_URL: undefined },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { exitCode: await child.exited, out, err: err.replace(/^\{"level".*\n/gm, '') }
}

beforeAll(async () => {
  for (const where of [HERE, SERVED]) await run(['app', 'create', 'first', ...where])
  server = await Server.start(PROGRAM, ...SERVED)
  const scopes = ADMIN_NOUNS.map((noun) => `${noun}:write`)
  const made = await run(['token', 'create', 'remote', '--scopes', ...scopes, ...SERVED, '--json'])
  const token = join(folder.path, 'token')
  writeFileSync(token, JSON.parse(made.out).token)
  there = ['--server', server.url, '--token-file', token]
})
afterAll(async () => {
  await server.stop()
  folder.remove()
})

/** Ids, secrets, times and ports differ by nature. */
const alike = (text: string) =>
  text
    .replace(/\b(app|org|key|rly|prc|way|whe)_[a-z0-9]{12}\b/g, '$1_id')
    .replace(/\b(sk|pk)(_test)?_[A-Za-z0-9]{20,}/g, '$1_secret')
    .replace(/whsec_[\w+/=-]+|"[\w-]{43}"/g, 'secret')
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'time')
    .replace(/127\.0\.0\.1:\d+/g, 'host')
    .replace(/\b\d{6}\b/g, 'digits')

const HOOK = ['--mode', 'live', '--url', 'https://shop.example/otp', '--events', 'otp.sent,otp.failed']

/** APP is an app of the installation, HOOK a webhook of it. */
const LINES: ReadonlyArray<readonly string[]> = [
  ['app', 'create', 'shop', '--region', 'US'],
  ['app', 'list'],
  ['app', 'rename', 'APP', 'Web shop'],
  ['app', 'region', 'APP'],
  ['app', 'region', 'APP', 'XX'],
  ['app', 'texts', 'APP', '--locale-by-country', 'on'],
  ['app', 'proofs', 'APP', '--metadata', 'on'],
  ['app', 'retention', 'APP', '--days', '30'],
  ['app', 'retention', 'app_none', '--days', '30'],
  ['key', 'create', '--app', 'APP', '--kind', 'sk', '--mode', 'test'],
  ['key', 'create', '--app', 'APP', '--kind', 'pk', '--mode', 'live'],
  ['credit', 'add', '--app', 'APP', '--amount', '100'],
  ['credit', 'clawback', '--app', 'APP', '--amount', '10', '--reference', 'r'],
  ['credit', 'overdraft', '--app', 'APP', '--limit', '5'],
  ['plan', 'set', 'APP', 'sms', 'whatsapp:8,sms'],
  ['plan', 'list', 'APP'],
  ['plan', 'remove', 'APP', 'sms', '--yes'],
  ['price', 'set', '9.9', 'KRW', '--from', '2026-01-01'],
  ['price', 'list'],
  ['review', 'add', 'APP', 'Store', '+821012345678'],
  ['review', 'list', 'APP'],
  ['review', 'remove', 'APP', 'Store'],
  ['relay', 'add', 'APP', 'login', '--source', 'supabase'],
  ['relay', 'list', 'APP'],
  ['notice', 'add', 'pager', '--by', 'webhook', '--url', 'https://pager.example/'],
  ['notice', 'ways'],
  ['template', 'set', 'own', '--app', 'APP', '--body', '#{code}'],
  ['template', 'list', '--app', 'APP'],
  ['template', 'remove', 'own', '--app', 'APP', '--yes'],
  ['route', 'set', 'sms', 'none'],
  ['route', 'list'],
  ['route', 'remove', 'sms', '--yes'],
  ['provider', 'pause', 'none'],
  ['webhook', 'add', '--app', 'APP', ...HOOK, '--filter', 'method=sms', '--header', 'X-One: 1'],
  ['webhook', 'add', '--app', 'APP', '--mode', 'test', '--url', 'http://10.0.0.1/', '--events', 'otp.sent'],
  ['webhook', 'list', '--app', 'APP'],
  ['webhook', 'list', '--app', 'app_none'],
  ['webhook', 'update', 'HOOK', '--disable'],
  ['webhook', 'update', 'HOOK', '--enable', '--template', '{"text":"{{type}}"}'],
  ['webhook', 'preview', '--template', '{"text":"{{type}}"}'],
  ['webhook', 'preview', '--template', '{'],
  ['webhook', 'events', 'HOOK'],
  ['webhook', 'events', 'whe_none'],
  ['webhook', 'rotate', 'HOOK'],
  ['webhook', 'remove', 'HOOK', '--yes'],
  ['app', 'remove', 'APP', '--yes'],
]

test('each says the same here and there, as lines or as JSON', async () => {
  const appHere = JSON.parse((await run(['app', 'create', 'mine', ...HERE, '--json'])).out).appId
  const appThere = JSON.parse((await run(['app', 'create', 'mine', ...there, '--json'])).out).appId
  const hookOf = async (app: string, where: string[]) =>
    JSON.parse((await run(['webhook', 'add', '--app', app, ...HOOK, ...where, '--json'])).out).endpointId
  const here = { APP: appHere, HOOK: await hookOf(appHere, HERE) }
  const far = { APP: appThere, HOOK: await hookOf(appThere, there) }
  const at = (line: readonly string[], names: Record<string, string>) => line.map((word) => names[word] ?? word)
  for (const [index, line] of LINES.entries()) {
    const json = index % 2 === 0 ? [] : ['--json']
    const [own, other] = await Promise.all([
      run([...at(line, here), ...json, ...HERE]),
      run([...at(line, far), ...json, ...there]),
    ])
    const shown = ({ exitCode, out, err }: typeof own) => ({ line, exitCode, out: alike(out), err: alike(err) })
    expect(shown(other)).toEqual(shown(own))
  }
})
