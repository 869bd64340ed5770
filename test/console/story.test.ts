/** One issue, whole: what happened when, and what its carriers said. No digit of a number or a code is in it. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { answered } from '../support/carrier'
import type { Furnished, World } from '../support/world'
import { type ConsoleClient, furnishedConsole } from './client'

const PHONE = '010-1234-5678'
const SECOND_MS = 1_000

let world: World
let keys: Furnished
let owner: ConsoleClient

beforeEach(async () => {
  ;({ world, keys, owner } = await furnishedConsole())
})
afterEach(() => world.stop())

async function issue(): Promise<string> {
  const request = { phoneNumber: PHONE, purpose: 'login', idempotencyKey: `asked-${world.clock.now()}` }
  const { body } = await world.call('rest', 'issue', request, { key: keys.live })
  await world.settle()
  return body.issueId
}
const verify = (issueId: string, code: string) => world.call('rest', 'verify', { issueId, code }, { key: keys.live })
const story = async (issueId: string) => (await owner.call('issues/story', { issueId })).body
const stored = async () =>
  JSON.stringify(await world.rows('SELECT wrong_at FROM issues UNION ALL SELECT said FROM attempts'))

test('each wrong code has its moment, and nothing else of it', async () => {
  const issueId = await issue()
  const right = world.sms.lastCode()
  const wrong = right === '111111' ? '222222' : '111111'
  const moments: number[] = []
  for (const n of [1, 2]) {
    await world.advance(n * SECOND_MS)
    moments.push(world.clock.now())
    expect((await verify(issueId, wrong)).body.verified).toBeFalse()
  }
  expect((await story(issueId)).wrongAt).toEqual(moments)
  expect((await verify(issueId, right)).body.verified).toBeTrue()
  expect((await story(issueId)).wrongAt).toHaveLength(2)
  expect(await stored()).not.toContain(wrong)
})

test('a refusal is there in the carrier’s own words, without digits, and goes with its phone', async () => {
  world.sms.answer = () =>
    answered(400, { code: 'BAD_NUMBER', error: { message: 'The number 821012345678 cannot be reached' } })
  const issueId = await issue()
  expect((await story(issueId)).attempts).toMatchObject([
    { outcome: 'refused', said: 'The number ############ cannot be reached' },
  ])
  await owner.call('privacy/erase', { phoneNumber: PHONE })
  expect(await stored()).not.toContain('reached')
})

test('a report is there with its moment, its words and its carrier’s message', async () => {
  const issueId = await issue()
  const [{ id } = {}] = await world.rows('SELECT provider_message_id AS id FROM attempts WHERE awaited_at IS NOT NULL')
  await world.advance(5 * SECOND_MS)
  const reportedAt = world.clock.now()
  const report = { messageId: id, status: 'failed', code: 'PHONE_OFF', errorText: 'The phone 5678 was off' }
  expect((await world.report('main', report)).status).toBe(200)
  await world.settle()
  expect((await story(issueId)).attempts).toMatchObject([
    {
      ...{ outcome: 'accepted', report: 'failed', reportedAt },
      ...{ code: 'PHONE_OFF', said: 'The phone #### was off' },
    },
  ])
})
