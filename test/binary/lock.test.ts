/** A phone at which somebody has guessed a hundred times, and the operator's commands beside a server that runs. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS, until } from '../support/until'
import { released } from './compiled'
import { newFolder, type Program, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const PHONE = '010-1234-5678'
const E164 = '+821012345678'
const DAY_SEC = 86_400
/** A machine may be busy: of what is left of a day it has so much to get there. */
const SLOWLY_SEC = 3_600
const CODES = 10

const folder = newFolder()
const carrier = new StubCarrier()
let program: Program
let server: Server
let appId = ''
let key = ''

beforeAll(async () => {
  program = await released(folder.path, { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '100' })
  appId = (await runJson(program, 'app', 'create', 'shop')).appId
  key = (await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')).key
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '100')
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  server = await Server.start(program)
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await carrier.stop()
  folder.remove()
})

const issue = (purpose: string) => server.issue(key, PHONE, { purpose, maxAttempts: 10, expiresInSec: 600 })

async function expectLocked(): Promise<void> {
  const { status, body, headers } = await issue('login')
  expect({ status, limit: body.data?.limit }).toEqual({ status: 429, limit: 'failures' })
  const left = Number(headers.get('retry-after'))
  expect(left).toBe(Math.ceil(body.data.retryAfterMs / 1_000))
  expect(left).toBeLessThanOrEqual(DAY_SEC)
  expect(left).toBeGreaterThan(DAY_SEC - SLOWLY_SEC)
}

test('is locked, also after a crash and for whoever is erased, until its operator opens it', async () => {
  const guessed: Array<{ issueId: string; code: string }> = []
  for (let n = 0; n < CODES; n++) {
    const { status, body } = await issue(`purpose ${n}`)
    expect(status).toBe(200)
    await until(() => carrier.received.length > n, 'the message')
    guessed.push({ issueId: body.issueId, code: carrier.codeFor(E164) })
  }
  for (const { issueId, code } of guessed)
    for (let n = 0; n < 10; n++)
      expect((await server.verify(key, issueId, code === '111111' ? '222222' : '111111')).body.verified).toBe(false)
  await expectLocked()

  await server.stop('SIGKILL')
  server = await Server.start(program)
  await expectLocked()

  const number = join(folder.path, 'number.txt')
  writeFileSync(number, PHONE)
  expect(await runJson(program, 'privacy', 'erase', '--phone-file', number, '--yes')).toMatchObject({ issues: CODES })
  await expectLocked()

  expect(await runJson(program, 'app', 'unlock', appId, PHONE)).toEqual({ appId, wasWaiting: true })
  expect((await issue('login')).status).toBe(200)
})
