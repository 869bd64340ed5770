/**
 * The files of `examples/relays`, called as each platform's documentation says it calls them, beside a real server. The platforms
 * themselves are not here: what they give the code is a stub.
 */
import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { createProofVerifier } from '../../client/server'
import * as administer from '../../src/usecases/administer'
import { ROOT } from '../binary/support'
import { pages } from '../docs/pages'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'
import { openRelay } from './platforms'

setDefaultTimeout(HANGS_AFTER_MS)

const TO = '+821012345678'
const EXAMPLES = join(ROOT, 'examples/relays')
// biome-ignore lint/suspicious/noExplicitAny: they are JavaScript
const example = (name: string): Promise<any> => import(join(EXAMPLES, name))

let world: World
let keys: Furnished
let served: Bun.Server<undefined>
let relay: { url: string; secret: string; relayId: string }
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  served = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => world.app.fetch(request, '127.0.0.1') })
  const opened = await openRelay(world, keys.appId, 'plain')
  relay = { url: `http://127.0.0.1:${served.port}${opened.path}`, secret: opened.secret, relayId: opened.relay.relayId }
})
afterEach(async () => {
  await served.stop(true)
  await world.stop()
})

async function texts() {
  await world.settle()
  return world.sms.requests.map(({ to, text }) => ({ to, text }))
}

/** A proof of the phone, as a browser brings it. */
async function proof(phoneNumber = TO): Promise<string> {
  const wanted = { phoneNumber, purpose: 'login', idempotencyKey: crypto.randomUUID() }
  const { issueId } = (await world.call('rest', 'issue', wanted, { key: keys.live })).body
  await world.settle()
  const code = world.sms.lastCode()
  return (await world.call('rest', 'verify', { issueId, code, phoneNumber }, { key: keys.live })).body.proof
}

const verifier = () =>
  createProofVerifier({
    ...{ baseUrl: `http://127.0.0.1:${served.port}/v1`, appId: keys.appId, purpose: 'login' },
    now: () => world.clock.now(),
  })

test('the pages show the files as they are', async () => {
  const shown = pages.flatMap(({ blocks }) => blocks.filter(({ page, marks }) => /relay-/.test(page) && marks.file))
  expect(new Set(shown.map(({ marks }) => marks.file))).toEqual(
    new Set([...new Glob('*').scanSync(EXAMPLES)].filter((name) => name !== 'README.md')),
  )
  for (const { marks, text } of shown)
    expect(`${text.trim()}\n`).toBe(await Bun.file(join(EXAMPLES, marks.file ?? '')).text())
})

describe('the Action of Auth0', () => {
  /** The event of Auth0's reference of the trigger, as far as the Action reads it. */
  const event = (notification: object = {}) => ({
    client: { client_id: 'AaiyAPdpYdesoKnqjj8HJqRn4T5titww', name: 'My application' },
    notification: {
      as_text: '482913 is your verification code for My application',
      as_voice: 'Your verification code is 4. 8. 2. 9. 1. 3.',
      code: '482913',
      delivery_method: 'text',
      from: '+12015550100',
      locale: 'en',
      message_type: 'otp_verify',
      recipient: TO,
      ...notification,
    },
    request: { ip: '203.0.113.9', user_agent: 'Mozilla/5.0', language: 'en', geoip: {} },
    tenant: { id: 'my-tenant' },
    user: { user_id: 'auth0|5f7c8ec7c33c6c004bbafe82' },
    secrets: { WATCHWORD_URL: relay.url, WATCHWORD_SECRET: relay.secret },
  })

  async function run(given: object) {
    const told: string[] = []
    const tell = (what: string) => (reason: string) => void told.push(`${what} ${reason}`)
    const { onExecuteCustomPhoneProvider } = await example('auth0-action.cjs')
    await onExecuteCustomPhoneProvider(given, { notification: { retry: tell('retry'), drop: tell('drop') } })
    return told
  }

  test('sends a code in the words of Auth0, once where it is retried', async () => {
    expect(await run(event())).toEqual([])
    expect(await run(event())).toEqual([])
    expect(await texts()).toEqual([{ to: TO, text: '482913 is your verification code for My application' }])
  })

  test('drops what will never be sent, and retries what may be sent later', async () => {
    expect(await run(event({ recipient: '+821' }))).toEqual([expect.stringMatching(/^drop 400 /)])
    expect(await run({ ...event(), secrets: { WATCHWORD_URL: relay.url, WATCHWORD_SECRET: 'wrong' } })).toEqual([
      expect.stringMatching(/^drop 401 /),
    ])
    expect(await run(event({ code: undefined, message_type: 'blocked_account' }))).toEqual([
      expect.stringMatching(/^drop /),
    ])
    expect(await run(event({ delivery_method: 'voice' }))).toEqual([expect.stringMatching(/^drop /)])
    await administer.blockPlace(world.admin, keys.appId, { country: 'KR' })
    expect(await run(event())).toEqual([expect.stringMatching(/^retry 429 /)])
    await served.stop(true)
    expect(await run(event())).toEqual(['retry Watchword did not answer'])
    expect(await texts()).toEqual([])
  })
})

describe('the SMS sender of Cognito', () => {
  const event = (phone_number: string) => ({
    version: '1',
    triggerSource: 'CustomSMSSender_Authentication',
    region: 'ap-northeast-2',
    userPoolId: 'ap-northeast-2_EXAMPLE',
    userName: 'a-user',
    callerContext: { awsSdkVersion: '3', clientId: 'abc' },
    request: {
      type: 'customSMSSenderRequestV1',
      code: Buffer.from('sealed 482913').toString('base64'),
      clientMetadata: {},
      userAttributes: { sub: '6481a5c1', phone_number, phone_number_verified: 'true', locale: 'ko-KR' },
    },
  })
  const decrypt = async (code: string) => Buffer.from(code, 'base64').toString().replace('sealed ', '')

  test('sends a code by our template', async () => {
    const { cognitoSmsSender } = await example('cognito-sms-sender.mjs')
    await cognitoSmsSender({ ...relay, decrypt })(event(TO))
    expect(await texts()).toEqual([{ to: TO, text: expect.stringContaining('482913') }])
  })

  test('fails the call of the user with our reason', async () => {
    const { cognitoSmsSender } = await example('cognito-sms-sender.mjs')
    expect((await errorOf(cognitoSmsSender({ ...relay, decrypt })(event('+821')))).message).toMatch(
      /^Watchword refused: 400 /,
    )
    expect(await texts()).toEqual([])
  })
})

describe('the challenge of Cognito', () => {
  const session = (...results: boolean[]) =>
    results.map((challengeResult) => ({ challengeName: 'CUSTOM_CHALLENGE', challengeResult }))
  const trigger = (request: object) => ({ request: { userAttributes: { phone_number: TO }, ...request }, response: {} })

  test('asks once, and issues tokens for a right answer alone', async () => {
    const { defineAuthChallenge, createAuthChallenge } = await example('cognito-challenge.mjs')
    const define = async (request: object) => (await defineAuthChallenge(trigger(request))).response
    const asked = { issueTokens: false, failAuthentication: false, challengeName: 'CUSTOM_CHALLENGE' }
    expect(await define({ session: [] })).toEqual(asked)
    expect(await define({ session: session(true) })).toEqual({ issueTokens: true, failAuthentication: false })
    expect(await define({ session: session(false) })).toEqual({ issueTokens: false, failAuthentication: true })
    expect(await define({ session: session(true), userNotFound: true })).toMatchObject({ failAuthentication: true })
    expect((await createAuthChallenge(trigger({}))).response.publicChallengeParameters).toEqual({ wanted: 'proof' })
  })

  test('believes a proof once, and only for the phone of the user', async () => {
    const { verifyAuthChallengeResponse } = await example('cognito-challenge.mjs')
    const verify = verifyAuthChallengeResponse(verifier())
    const isCorrect = async (challengeAnswer: string) =>
      (await verify(trigger({ challengeAnswer }))).response.answerCorrect
    const right = await proof()
    expect(await isCorrect(right)).toBe(true)
    expect(await isCorrect(right)).toBe(false)
    expect(await isCorrect(await proof('+821098765432'))).toBe(false)
    expect(await isCorrect('000000')).toBe(false)
  })

  test('is broken, and not wrong, where the keys of Watchword cannot be had', async () => {
    const { verifyAuthChallengeResponse } = await example('cognito-challenge.mjs')
    const verify = verifyAuthChallengeResponse(verifier())
    const challengeAnswer = await proof()
    await served.stop(true)
    expect(await errorOf(verify(trigger({ challengeAnswer })))).toBeInstanceOf(TypeError)
  })
})

describe('Firebase', () => {
  /** As firebase-admin answers. */
  const admin = () => {
    const users = new Map<string, string>()
    return {
      async getUserByPhoneNumber(phone: string) {
        const uid = users.get(phone)
        if (!uid) throw Object.assign(new Error('There is no user record'), { code: 'auth/user-not-found' })
        return { uid }
      },
      async createUser({ phoneNumber }: { phoneNumber: string }) {
        users.set(phoneNumber, `uid-${users.size}`)
        return { uid: `uid-${users.size - 1}` }
      },
      createCustomToken: async (uid: string) => `token of ${uid}`,
    }
  }

  test('has a token for a proof, of the same user each time, and none without', async () => {
    const { firebaseToken } = await example('firebase.mjs')
    const exchange = firebaseToken({ auth: admin(), verifyProof: verifier() })
    const first = await proof()
    expect(await exchange(first)).toBe('token of uid-0')
    expect(await exchange(await proof('+821098765432'))).toBe('token of uid-1')
    expect(await exchange(await proof())).toBe('token of uid-0')
    expect(await errorOf(exchange(first))).toMatchObject({ name: 'ProofError', reason: 'used' })
    expect(await errorOf(exchange('000000'))).toMatchObject({ name: 'ProofError' })
  })
})

describe('Appwrite', () => {
  /** As node-appwrite answers. */
  function server() {
    const known: Array<{ $id: string; phone: string }> = []
    const Query = { equal: (attribute: string, value: string) => JSON.stringify({ attribute, value }) }
    const users = {
      list: async ({ queries: [query = ''] }: { queries: string[] }) => ({
        users: known.filter(({ phone }) => Query.equal('phone', phone) === query),
      }),
      async create({ userId, phone }: { userId: string; phone: string }) {
        known.push({ $id: userId, phone })
        return { $id: userId }
      },
      createToken: async ({ userId }: { userId: string }) => ({ userId, secret: `secret of ${userId}` }),
    }
    return { users, Query, ID: { unique: () => `user-${known.length}` } }
  }

  test('has a token for a proof, of the same user each time, and none without', async () => {
    const { appwriteToken } = await example('appwrite.mjs')
    const exchange = appwriteToken({ ...server(), verifyProof: verifier() })
    const first = await proof()
    expect(await exchange(first)).toEqual({ userId: 'user-0', secret: 'secret of user-0' })
    expect((await exchange(await proof('+821098765432'))).userId).toBe('user-1')
    expect((await exchange(await proof())).userId).toBe('user-0')
    expect(await errorOf(exchange(first))).toMatchObject({ name: 'ProofError', reason: 'used' })
  })
})

test('the settings of Keycloak make the request that the relay takes', async () => {
  const { config } = await Bun.file(join(EXAMPLES, 'keycloak.json')).json()
  // As ApiSmsService of the plugin makes it of these settings.
  expect(config).toMatchObject({ urlencode: 'true', apiTokenInHeader: 'true', apitokenattribute: 'Authorization' })
  const form = new URLSearchParams([
    [config.messageattribute, 'Your SMS code is 482913 and is valid for 5 minutes.'],
    [config.receiverattribute, TO],
    [config.senderattribute, config.senderId],
  ])
  const authorization = config.apitoken.replace('the secret of the relay', relay.secret)
  const send = (headers: Record<string, string>) => fetch(relay.url, { method: 'POST', body: form, headers })
  expect((await send({ authorization: 'Bearer wrong' })).status).toBe(401)
  expect((await send({ authorization })).status).toBe(200)
  expect(await texts()).toEqual([{ to: TO, text: 'Your SMS code is 482913 and is valid for 5 minutes.' }])
})
