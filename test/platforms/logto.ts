/** Logto: registration and sign-in by phone, by its HTTP SMS connector. */
import { expect } from 'bun:test'
import { existsSync } from 'node:fs'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { SQL } from 'bun'
import { freePort } from '../support/free-port'
import { Postgres } from '../support/postgres'
import { ask, cloned, must, Running, relayed, type Source } from './support'

export const LOGTO: Source = {
  repository: 'https://github.com/logto-io/logto',
  commit: '1fbc55441fd28d9e3e7d69c1522e7654dccfe99c',
}

const [PHONE, OTHER] = ['+821012345678', '+821087654321']
const CONNECTOR = 'connector-http-sms'
const CALLBACK = 'http://127.0.0.1:3000/callback'

export async function logto(given: string | undefined, into: string, kept: (promise: string) => void) {
  const folder = await cloned(LOGTO, given, into)
  const core = join(folder, 'packages/core')
  await build(folder, core)
  const postgres = await Postgres.start()
  const database = { DB_URL: `postgres://postgres@127.0.0.1:${postgres.port}/logto` }
  await must(['node', 'bin/logto.js', 'db', 'seed', '--swe'], join(folder, 'packages/cli'), database)
  const relay = await relayed('logto')
  const [own, admin] = [freePort(), freePort()]
  const [url, adminUrl] = [`http://127.0.0.1:${own}`, `http://127.0.0.1:${admin}`]
  const running = await Running.start(
    ['node', '.'],
    core,
    {
      ...database,
      ...{ NODE_ENV: 'production', PORT: String(own), ADMIN_PORT: String(admin) },
      ...{ ENDPOINT: url, ADMIN_ENDPOINT: adminUrl },
    },
    `${url}/api/status`,
  )
  try {
    const app = await configure(url, adminUrl, database.DB_URL, relay)
    const registration = await Visit.begin(url, app, 'Register')
    const sent = await registration.send(PHONE)
    expect(sent.status).toBe(200)
    const code = await relay.code(PHONE, 1)
    const wrong = code === '000000' ? '000001' : '000000'
    expect(await registration.verify(PHONE, sent.body.verificationId, wrong)).toMatchObject({
      status: 400,
      body: { code: 'verification_code.code_mismatch' },
    })
    expect((await registration.verify(PHONE, sent.body.verificationId, code)).status).toBe(200)
    expect(await registration.finish(sent.body.verificationId)).toStartWith(`${CALLBACK}?code=`)
    kept('a user registers by phone with the code that the carrier got')

    const login = await Visit.begin(url, app, 'SignIn')
    const { verificationId } = (await login.send(PHONE)).body
    const second = await relay.code(PHONE, 2)
    expect((await login.verify(PHONE, verificationId, second)).status).toBe(200)
    expect(await login.finish(verificationId)).toStartWith(`${CALLBACK}?code=`)
    kept('the user signs in again')

    const body = { to: PHONE.slice(1), type: 'SignIn', payload: { code: second, locale: 'en' } }
    expect((await ask(relay.url, body, { authorization: `Bearer ${relay.secret}` })).status).toBe(200)
    kept('the same body twice sends one text')

    await relay.block()
    const refused = await (await Visit.begin(url, app, 'Register')).send(OTHER)
    expect(refused).toMatchObject({
      status: 400,
      body: { data: { message: expect.stringContaining('Too many codes') } },
    })
    kept("a refusal reaches the user with Watchword's reason")
  } finally {
    await running.stop()
    await relay.stop()
    await postgres.stop()
  }
}

/** What the sign-in needs of it: neither its consoles nor other connectors. */
async function build(folder: string, core: string): Promise<void> {
  const pnpm = (...words: string[]) => must(['npx', '--yes', 'pnpm@10', ...words], folder)
  if (!existsSync(join(core, 'build/index.js'))) {
    await pnpm('install', '--frozen-lockfile')
    await pnpm('prepack')
    await pnpm('--filter', '@logto/core', '--filter', `@logto/${CONNECTOR}`, 'build')
  }
  const linked = join(core, 'connectors', CONNECTOR)
  if (existsSync(linked)) return
  await mkdir(join(core, 'connectors'), { recursive: true })
  await symlink(join(folder, 'packages/connectors', CONNECTOR), linked)
}

/** As an administrator of Logto does it in its console. Answers the ID of an application. */
async function configure(url: string, adminUrl: string, database: string, relay: { url: string; secret: string }) {
  const sql = new SQL(database, { max: 1 })
  const [{ secret }] = await sql`SELECT secret FROM applications WHERE id = 'm-default'`
  await sql.close()
  const token = await fetch(`${adminUrl}/oidc/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`m-default:${secret}`)}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      resource: 'https://default.logto.app/api',
      scope: 'all',
    }),
  })
  const authorization = `Bearer ${(await token.json()).access_token}`
  const manage = async (method: string, path: string, body: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${url}/api/${path}`, { method, headers, body: JSON.stringify(body) })
    expect(answer.status).toBe(200)
    return answer.json()
  }
  await manage('POST', 'connectors', {
    connectorId: 'http-sms',
    config: { endpoint: relay.url, authorization: `Bearer ${relay.secret}` },
  })
  await manage('PATCH', 'sign-in-exp', {
    signUp: { identifiers: ['phone'], password: false, verify: true },
    signIn: {
      methods: [{ identifier: 'phone', password: false, verificationCode: true, isPasswordPrimary: false }],
    },
  })
  const { id } = await manage('POST', 'applications', {
    name: 'shop',
    type: 'Traditional',
    oidcClientMetadata: { redirectUris: [CALLBACK], postLogoutRedirectUris: [] },
  })
  return String(id)
}

/** A browser on Logto's pages, with its cookies. */
class Visit {
  readonly #cookies = new Map<string, string>()
  private constructor(
    private readonly url: string,
    private readonly event: 'Register' | 'SignIn',
  ) {}

  static async begin(url: string, app: string, event: 'Register' | 'SignIn'): Promise<Visit> {
    const visit = new Visit(url, event)
    const asked = { client_id: app, redirect_uri: CALLBACK, response_type: 'code', scope: 'openid phone', state: 'a' }
    await visit.#ask(`/oidc/auth?${new URLSearchParams({ ...asked, prompt: 'consent' })}`)
    await visit.#call('PUT', '', { interactionEvent: event })
    return visit
  }

  send(phone: string) {
    const identifier = { type: 'phone', value: phone.slice(1) }
    return this.#call('POST', '/verification/verification-code', { identifier, interactionEvent: this.event })
  }

  verify(phone: string, verificationId: string, code: string) {
    const identifier = { type: 'phone', value: phone.slice(1) }
    return this.#call('POST', '/verification/verification-code/verify', { identifier, verificationId, code })
  }

  /** Where the user is sent in the end. */
  async finish(verificationId: string): Promise<string> {
    await this.#call('POST', '/identification', { verificationId })
    let { redirectTo: at } = (await this.#call('POST', '/submit', {})).body
    for (let hops = 0; hops < 5 && !at.startsWith(CALLBACK); hops++) at = (await this.#ask(at)).location
    return at
  }

  #call(method: string, path: string, body: object) {
    return this.#ask(`/api/experience${path}`, { method, body: JSON.stringify(body) })
  }

  async #ask(at: string, init: RequestInit = {}) {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { 'content-type': 'application/json', cookie }
    const answer = await fetch(new URL(at, this.url), { redirect: 'manual', ...init, headers })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      this.#cookies.set(name, value)
    }
    const text = await answer.text()
    const location = answer.headers.get('location') ?? ''
    return { status: answer.status, location, body: text.startsWith('{') ? JSON.parse(text) : {} }
  }
}
