/** The real program with something of everything in it: apps, keys, templates, carriers of each kind, people. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '../../src/domain/access/operator'
import type { Template } from '../../src/domain/message/template'
import { assertCarrier, reportsBySecret } from '../../src/providers/carriers'
import { SignInPauses } from '../../src/runtime/limits/sign-in-pauses'
import { openStore } from '../../src/store/sqlite/open'
import { systemClock } from '../../src/system/clock'
import { systemPasswords } from '../../src/system/passwords'
import { createVault, systemRandom } from '../../src/system/vault'
import * as administer from '../../src/usecases/administer'
import { invite, join as joinOperators } from '../../src/usecases/people'
import { newFolder, ROOT, Server, StubCarrier } from '../binary/support'
import { ASLEEP } from '../support/asleep'
import { until } from '../support/until'
import { type Held, openProbe, PROBE_FILE } from './probe'

const SECRET = 'the master secret of the fuzz, never to be told'
export const REPORT_SECRET = 'the-report-secret-of-the-fuzz'
const PASSWORD = 'the password of the fuzz'

export interface Target {
  url: string
  appId: string
  /** Secret ones, and a live browser key for `ORIGIN`. The app has no credit, so that nothing live is ever taken. */
  keys: { live: string; test: string; browser: string }
  /** Of who is signed in; `nobody` has none. */
  cookies: Record<'owner' | 'viewer' | 'nobody', string>
  /** The database, to be read only. */
  database: string
  /** The longest the event loop was held since asked before. */
  held: () => Held
  /** How long the event loop has computed since the start. */
  computedMs: () => number
  /** What no answer and no line of the log may hold. */
  secrets: string[]
  /** What was sent to phones. */
  codes: () => string[]
  memoryMb: () => number
  /** Everything it has written. */
  written: () => string
  /** Drains it; answers its exit code. */
  stop: () => Promise<number>
}

/** A webhook may have it, and is never sent there: tests talk to loopback only, and the server's policy forbids that. */
export const NOBODYS_URL = 'https://127.0.0.1/'

/** A live number, and how it reads wherever it might be told. */
export const PHONE = '010-1234-5678'
const PHONE_IN_WORDS = [PHONE, '01012345678', '1012345678', '12345678']

/** Of the clients of Twilio Verify. */
export const PURPOSE = 'signup'

export const ORIGIN = 'https://shop.example'

/** A variable for each way a pattern may be written; those that RE2 refuses were stored before it was asked. */
export const PATTERNS = { letters: '[a-z]{1,40}', nested: '(?:(?:a*)*)*', any: '.*' }
export const FORMER_PATTERNS = { former: '(?=a)(a+)+b|a*', behind: '(?:.(?<=a|))*', twice: '(.*)(?:\\1)*' }

const variablesOf = (patterns: Record<string, string>) =>
  Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, { required: false, pattern }]))

export const templateOf = (templateId: string, patterns: Record<string, string>): Template => ({
  templateId,
  name: templateId,
  body: `#{code} ${Object.keys(patterns)
    .map((name) => `#{${name}}`)
    .join(' ')}`,
  channelSupport: ['sms', 'alimtalk'],
  variables: variablesOf(patterns),
  providerTemplateCode: templateId,
  bodies: {},
})

/** Limits that would answer 429 instead of looking. */
const ENVIRONMENT = {
  WATCHWORD_SECRET: SECRET,
  WATCHWORD_LIMIT_REFUSALS_PER_MIN: '10000000',
  WATCHWORD_LIMIT_REQUESTS_PER_KEY_PER_MIN: '10000000',
  WATCHWORD_LIMIT_PK_ISSUES_PER_MIN: '10000000',
  WATCHWORD_LIMIT_PK_ISSUES_PER_MIN_PER_IP: '10000000',
  WATCHWORD_TRUSTED_PROXIES: '127.0.0.0/8,10.0.0.0/8',
}

const ROLES_TO_PLAY = ['owner', 'viewer'] as const satisfies Role[]
const emailOf = (role: Role) => `${role}@fuzz.example`

/** Nobody has failed to sign in. */
const FREE = {
  limits: { acquire: async () => ({ release() {} }) },
  signInLimits: new SignInPauses(),
}

interface Furnished {
  appId: string
  keys: Target['keys']
}

/** Everything that is there before the first request, written as the command line would. */
async function furnish(database: string, carrierUrl: string): Promise<Furnished> {
  const vault = createVault(Buffer.from(SECRET))
  const store = openStore({ file: database, clock: systemClock, vault })
  const actor = { name: 'fuzz' }
  const common = { store, vault, clock: systemClock, random: systemRandom, actor }
  const admin = { ...common, assertCarrier, reportsBySecret, node: ASLEEP }
  const { appId } = await administer.createApp(admin, { name: 'fuzz' })
  const key = async (wanted: Omit<administer.NewKey, 'appId'>) =>
    (await administer.createKey(admin, { appId, ...wanted })).key
  const keys = {
    live: await key({ kind: 'sk', mode: 'live' }),
    test: await key({ kind: 'sk', mode: 'test' }),
    browser: await key({ kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] }),
  }
  for (const [name, config] of Object.entries(carriersAt(carrierUrl))) {
    const type = name === 'main' ? 'http' : name
    await administer.setCarrier(admin, {
      name,
      type,
      channels: ['sms'],
      config: { reportSecret: REPORT_SECRET, ...config },
    })
  }
  await administer.addTwilioPurpose(admin, appId, PURPOSE)
  await administer.saveTemplate(admin, appId, templateOf('patterns', PATTERNS))
  await administer.saveTemplate(admin, appId, templateOf('large', { text: '.{0,900}' }))
  await administer.saveTemplate(admin, appId, {
    ...templateOf('open', { text: '' }),
    variables: { text: { required: false } },
  })
  // As a release before 0.2 has left it.
  await store.transaction((tx) => tx.templates.save(appId, templateOf('former', FORMER_PATTERNS), 'cli'))
  const people = { ...common, passwords: systemPasswords, node: FREE }
  for (const role of ROLES_TO_PLAY) {
    const { token } = await invite(people, actor, { role })
    await joinOperators(people, {}, { token, name: role, email: emailOf(role), password: PASSWORD })
  }
  await store.close()
  return { appId, keys }
}

const SENDER = '0212345678'

/** By name, which is the type's too; `main` is the first, so it delivers. */
const carriersAt = (url: string): Record<string, Record<string, unknown>> => ({
  main: { url },
  twilio: { accountSid: `AC${'0'.repeat(32)}`, authToken: REPORT_SECRET, from: '+15005550006', apiBase: url },
  solapi: { apiKey: 'NCS0', apiSecret: REPORT_SECRET, from: SENDER, apiBase: url },
  nhn: { sms: { appKey: 'a', secretKey: REPORT_SECRET, from: SENDER, apiBase: url } },
  aligo: { apiKey: REPORT_SECRET, userId: 'fuzz', from: SENDER, apiBase: url },
})

async function signIn(url: string, role: Role): Promise<string> {
  const answer = await fetch(`${url}/console/rpc/session/signIn`, {
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify({ json: { email: emailOf(role), password: PASSWORD } }),
  })
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}

/** `preload`: files that are loaded into the server before its own. */
export async function startTarget(preload: string[] = [], env: Record<string, string> = {}): Promise<Target> {
  const folder = newFolder()
  const data = join(folder.path, 'data')
  mkdirSync(data)
  const database = join(data, 'watchword.db')
  const carrier = new StubCarrier()
  const { appId, keys } = await furnish(database, carrier.url)
  const probe = join(folder.path, 'probe')
  const { held, computedMs } = openProbe(probe)
  const command = [join(import.meta.dir, 'probe.ts'), ...preload].flatMap((file) => ['--preload', file])
  const program = {
    command: [process.execPath, ...command, join(ROOT, 'src/main.ts')],
    cwd: folder.path,
    env: { ...ENVIRONMENT, ...env, [PROBE_FILE]: probe },
  }
  const server = await Server.start(program, '--data', data)
  const { url } = server
  const cookies = { owner: await signIn(url, 'owner'), viewer: await signIn(url, 'viewer'), nobody: '' }
  // What is made with its first request.
  for (const path of ['/v1/openapi.json', '/docs/scalar.js', '/readyz']) await (await fetch(`${url}${path}`)).bytes()
  return {
    url,
    appId,
    keys,
    cookies,
    database,
    held,
    computedMs,
    secrets: [
      ...[SECRET, REPORT_SECRET, PASSWORD, ...PHONE_IN_WORDS],
      ...Object.values(keys),
      cookies.owner.split('=')[1] ?? '',
    ],
    codes: () => carrier.received.map(({ to }) => carrier.codeFor(to)),
    memoryMb: () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))?.[1]) / 1_024,
    written: () => server.stdout + server.stderr,
    async stop() {
      const stopping = server.stop()
      const isOver = () => server.child.exitCode !== null || server.child.signalCode !== null
      await until(isOver, 'it to drain').catch(() => server.child.kill('SIGKILL'))
      const exitCode = await stopping
      await carrier.stop()
      folder.remove()
      return exitCode
    },
  }
}
