/** Auth.js signs in by a proof: the real handler of `@auth/core`, with proofs of the real service. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { Auth, type AuthConfig } from '@auth/core'
import { createProofVerifier, watchwordCredentials } from '../../client/server'
import { type Furnished, World } from '../support/world'

const PHONE = '+821012345678'
const ORIGIN = 'http://localhost:3000'

let world: World
let keys: Furnished
let errors: Error[]
let hasKeys: boolean
let made = 0

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  ;[errors, hasKeys] = [[], true]
})
afterEach(() => world.stop())

const verifyProof = () =>
  createProofVerifier({
    ...{ baseUrl: 'http://localhost/v1', appId: keys.appId, purpose: 'sign-in', now: () => world.clock.now() },
    fetch: (request) =>
      hasKeys ? world.app.fetch(request, '127.0.0.1') : Promise.reject(new TypeError('the line is dead')),
  })

const config = (provider: AuthConfig['providers'][number]): AuthConfig => ({
  ...{ providers: [provider], secret: 'a secret of the app, 32+ characters long', trustHost: true, basePath: '/auth' },
  logger: { error: (error) => void errors.push(error) },
})

async function proven(purpose = 'sign-in'): Promise<string> {
  const order = { phoneNumber: PHONE, purpose, idempotencyKey: `k${made++}` }
  const { issueId } = (await world.call('rest', 'issue', order, { key: keys.live })).body
  await world.settle()
  const attempt = { issueId, code: world.sms.lastCode(), phoneNumber: PHONE }
  return (await world.call('rest', 'verify', attempt, { key: keys.live })).body.proof
}

/** A browser: it keeps cookies, and sends a form with Auth.js's own token. */
function browser(app: AuthConfig) {
  const cookies = new Map<string, string>()
  async function go(path: string, form?: Record<string, string>): Promise<Response> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const posted = form && { method: 'POST', body: new URLSearchParams(form) }
    const answer = await Auth(new Request(`${ORIGIN}/auth${path}`, { headers: { cookie }, ...posted }), app)
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  return {
    async signIn(form: Record<string, string>): Promise<URL> {
      const { csrfToken } = await (await go('/csrf')).json()
      const answer = await go('/callback/watchword', { ...form, csrfToken })
      return new URL(answer.headers.get('location') ?? '')
    },
    session: async () => (await go('/session')).json(),
  }
}

test('a proof signs its phone in', async () => {
  const provider = watchwordCredentials({ verifyProof: verifyProof() })
  const phone = browser({
    ...config(provider),
    callbacks: { session: ({ session, token }) => ({ ...session, sub: token.sub }) },
  })
  expect((await phone.signIn({ proof: await proven() })).searchParams.get('error')).toBeNull()
  expect(await phone.session()).toMatchObject({ sub: PHONE })
  expect(errors).toEqual([])
})

test('a proof signs nobody in twice, nor where it is for something else, forged or missing', async () => {
  const app = config(watchwordCredentials({ verifyProof: verifyProof() }))
  const proof = await proven()
  await browser(app).signIn({ proof })
  const forms: Array<Record<string, string>> = [
    { proof },
    { proof: await proven('newsletter') },
    { proof: `${await proven()}x` },
    { proof: '' },
    {},
  ]
  for (const form of forms) {
    const phone = browser(app)
    expect((await phone.signIn(form)).searchParams.get('error')).toBe('CredentialsSignin')
    expect(await phone.session()).toBeNull()
  }
})

test('the app says whose number it is, or that it is nobody’s', async () => {
  const known = new Map([[PHONE, { id: 'u42', name: 'Ada' }]])
  const app = config(
    watchwordCredentials({ verifyProof: verifyProof(), userOf: ({ phoneNumber }) => known.get(phoneNumber) ?? null }),
  )
  const phone = browser(app)
  await phone.signIn({ proof: await proven() })
  expect(await phone.session()).toMatchObject({ user: { name: 'Ada' } })
  known.clear()
  expect((await browser(app).signIn({ proof: await proven() })).searchParams.get('error')).toBe('CredentialsSignin')
})

test('where the service’s keys cannot be read nobody is signed in, and the app is told why', async () => {
  const app = config(watchwordCredentials({ verifyProof: verifyProof() }))
  const proof = await proven()
  hasKeys = false
  const phone = browser(app)
  expect((await phone.signIn({ proof })).searchParams.get('error')).toBe('Configuration')
  expect([await phone.session(), errors.length]).toEqual([null, 1])
  hasKeys = true
  world.clock.step(31_000)
  expect((await phone.signIn({ proof })).searchParams.get('error')).toBeNull()
})
