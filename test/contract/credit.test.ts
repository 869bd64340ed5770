import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addCredit, clawBackCredit, refundIssue } from '../../src/usecases/administer'
import { answered } from '../support/carrier'
import { errorOf } from '../support/error-of'
import { type Furnished, SMS_URL, World } from '../support/world'

describe("the operator's entries", () => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
    await world.provide('main', ['sms'], 'http://carrier.test/sms', { reports: false })
  })
  afterEach(() => world.stop())

  const read = async (operation: 'balance' | 'listCreditLedger', input = {}) =>
    (await world.call('rest', operation, input, { key: keys.live })).body
  async function debited(): Promise<string> {
    const input = { phoneNumber: '010-1234-5678', purpose: `p${made}`, idempotencyKey: `k${made++}` }
    const { body } = await world.call('rest', 'issue', input, { key: keys.live })
    await world.settle()
    return body.issueId
  }

  test('a refund gives back what the issue cost, tied to it, once however often it is asked for', async () => {
    const issueId = await debited()
    const order = { appId: keys.appId, issueId }
    const answers = await Promise.all([refundIssue(world.admin, order), refundIssue(world.admin, order)])
    answers.push(await refundIssue(world.admin, { ...order, issueId: issueId.toUpperCase() }))
    for (const { entry } of answers) expect(entry).toMatchObject({ entryType: 'refund', amountDelta: 1, issueId })
    expect((await read('balance')).balance).toBe(1_000)
    const { items } = await read('listCreditLedger', { entryType: 'refund' })
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ issueId, amountDelta: 1, balanceAfter: 1_000 })
    expect(items[0].reference).toBeUndefined()
  })

  test('only a debited issue of the app can be refunded', async () => {
    world.sms.answer = () => answered(400, {})
    const released = await debited()
    const order = { appId: keys.appId, issueId: released }
    for (const [wrong, message] of [
      [order, 'released'],
      [{ ...order, issueId: 'nope' }, 'nope'],
      [{ ...order, appId: 'app_other' }, released],
    ] as const) {
      expect((await errorOf(refundIssue(world.admin, wrong))).message).toContain(message)
    }
    expect((await read('balance')).balance).toBe(1_000)
  })

  test('a clawback takes credit once for each reference, and may leave a debt', async () => {
    const order = { appId: keys.appId, amount: 1_200, reference: 'chargeback-1' }
    for (let time = 0; time < 3; time++) await clawBackCredit(world.admin, order)
    expect((await read('balance')).balance).toBe(-200)
    const { items } = await read('listCreditLedger')
    expect(items.map(({ entryType, amountDelta }: Record<string, unknown>) => [entryType, amountDelta])).toEqual([
      ['clawback', -1_200],
      ['credit', 1_000],
    ])
    const refused = await world.call(
      'rest',
      'issue',
      { phoneNumber: '010-1234-5678', purpose: 'x', idempotencyKey: 'x' },
      { key: keys.live },
    )
    expect(refused.body.data).toEqual({ code: 'INSUFFICIENT_CREDIT' })
  })

  test("a clawback may name the top-up's own reference; another amount under one reference is refused", async () => {
    await addCredit(world.admin, { appId: keys.appId, amount: 10, reference: 'pay1' })
    await clawBackCredit(world.admin, { appId: keys.appId, amount: 10, reference: 'pay1' })
    expect((await read('balance')).balance).toBe(1_000)
    const other = clawBackCredit(world.admin, { appId: keys.appId, amount: 9, reference: 'pay1' })
    expect((await errorOf(other)).message).toContain('reference')
    expect((await read('balance')).balance).toBe(1_000)
  })

  test('a top-up with a reference is made once, without one as often as it is asked for', async () => {
    for (let time = 0; time < 3; time++)
      await addCredit(world.admin, { appId: keys.appId, amount: 10, reference: 'invoice-7' })
    expect((await read('balance')).balance).toBe(1_010)
    for (let time = 0; time < 3; time++) await addCredit(world.admin, { appId: keys.appId, amount: 10 })
    expect((await read('balance')).balance).toBe(1_040)
  })
})

test.each([
  [200, 'debited'],
  [400, 'released'],
])('an issue that was answered %d has changed last when its credit was %s', async (status, billingStatus) => {
  // Every transaction a millisecond after the one before.
  const world = await World.start({
    wrapStore: (store) => ({
      ...store,
      transaction: (work) => {
        world.clock.step(1)
        return store.transaction(work)
      },
    }),
  })
  const { live } = await world.furnish()
  await world.provide('main', ['sms'], SMS_URL, { reports: false })
  world.sms.answer = () => answered(status, {})
  const order = { phoneNumber: '010-1234-5678', purpose: 'login', idempotencyKey: 'k' }
  const { issueId } = (await world.call('rest', 'issue', order, { key: live })).body
  await world.settle()
  const { body } = await world.call('rest', 'getIssue', { issueId }, { key: live })
  expect(body.billingStatus).toBe(billingStatus)
  const [{ answered_at: answeredAt } = { answered_at: Number.NaN }] = await world.rows<{ answered_at: number }>(
    'SELECT answered_at FROM attempts',
  )
  expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(answeredAt)
  await world.stop()
})
