/** Twilio's own SDK for Node, whose only change is the address of Verify. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import twilio from 'twilio'
import { accountSid, serviceSid } from '../../src/http/compat/twilio-answer'
import * as administer from '../../src/usecases/administer'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'

setDefaultTimeout(HANGS_AFTER_MS)

let world: World
let keys: Furnished
let server: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  world = await World.start()
  keys = await world.furnish()
  await administer.addTwilioPurpose(world.admin, keys.appId, 'signup')
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => world.app.fetch(request, '127.0.0.1') })
})
afterAll(async () => {
  await server.stop(true)
  await world.stop()
})

function verify(key: string) {
  const client = twilio(accountSid(keys.appId), key)
  client.verify.baseUrl = `http://127.0.0.1:${server.port}/compat/twilio`
  return client.verify.v2.services(serviceSid(keys.appId, 'signup'))
}
const refused = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: { status: number; code: number; moreInfo: string }) => thrown,
  )
  return error && [error.status, error.code, error.moreInfo]
}
const refusal = (status: number, code: number) => [status, code, `https://www.twilio.com/docs/errors/${code}`]

const PHONE = '+821012345678'

test('creates, checks, reads and cancels verifications', async () => {
  const live = verify(keys.live)
  const created = await live.verifications.create({ to: PHONE, channel: 'sms', locale: 'en' })
  expect(created).toMatchObject({ to: PHONE, channel: 'sms', status: 'pending', valid: false })
  expect(created.dateCreated.getTime()).toBe(world.clock.now())
  expect((await live.verifications(created.sid).fetch()).status).toBe('pending')
  expect((await live.verifications(PHONE).fetch()).sid).toBe(created.sid)
  await world.settle()
  const code = world.sms.lastCode()
  const wrong = await live.verificationChecks.create({ to: PHONE, code: code === '111111' ? '222222' : '111111' })
  expect(wrong).toMatchObject({ sid: created.sid, status: 'pending', valid: false })
  const right = await live.verificationChecks.create({ to: PHONE, code })
  expect(right).toMatchObject({ sid: created.sid, status: 'approved', valid: true })
  expect(await refused(live.verificationChecks.create({ to: PHONE, code }))).toEqual(refusal(404, 20404))
  const { sid } = await live.verifications.create({ to: PHONE, channel: 'sms' })
  expect((await live.verifications(sid).update({ status: 'canceled' })).status).toBe('canceled')
  expect(await refused(live.verificationChecks.create({ verificationSid: sid, code }))).toEqual(refusal(404, 20404))
})

test('gets the errors that it knows', async () => {
  const live = verify(keys.live)
  const create = (to: string) => live.verifications.create({ to, channel: 'sms' })
  expect(await refused(create('12345'))).toEqual(refusal(400, 60200))
  expect(await refused(verify('wrong').verifications.create({ to: PHONE, channel: 'sms' }))).toEqual(
    refusal(401, 20003),
  )
  const { sid } = await create('+821022223333')
  await world.settle()
  const code = world.sms.lastCode() === '111111' ? '222222' : '111111'
  const check = () => live.verificationChecks.create({ verificationSid: sid, code })
  for (let n = 0; n < 5; n++) expect((await check()).status).toBe('pending')
  expect(await refused(check())).toEqual(refusal(429, 60202))
})

test('has a sandbox: a test key takes magic numbers and 000000', async () => {
  const sandbox = verify(keys.test)
  const to = '+14155550100'
  expect((await sandbox.verifications.create({ to, channel: 'call' })).status).toBe('pending')
  expect((await sandbox.verificationChecks.create({ to, code: '000000' })).status).toBe('approved')
})
