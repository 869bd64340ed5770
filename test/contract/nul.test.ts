/** What carriers and operators write may hold a NUL, which not every database can: it is stored or refused, never a defect. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { addCredit, addEndpoint, createApp, saveTemplate } from '../../src/usecases/administer'
import { invite, join } from '../../src/usecases/people'
import { verifyAudit } from '../../src/usecases/verify-audit'
import { answered } from '../support/carrier'
import { type Furnished, World } from '../support/world'

const NUL = 'a\0b'

let world: World
let keys: Furnished
beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
})
afterEach(() => world.stop())

async function issue(): Promise<string> {
  const input = { phoneNumber: '010-1234-5678', purpose: 'p', idempotencyKey: crypto.randomUUID() }
  const { body } = await world.call('rest', 'issue', input, { key: keys.live })
  await world.settle()
  return body.issueId
}
const status = async (issueId: string) => (await world.call('rest', 'status', { issueId }, { key: keys.live })).body

describe('what a carrier says', () => {
  test('as its id of a message is the id under which it reports', async () => {
    world.sms.answer = () => answered(200, { id: NUL })
    const issueId = await issue()
    expect(await status(issueId)).toMatchObject({ deliveryStatus: 'sent' })
    expect((await world.report('main', { messageId: NUL, status: 'delivered' })).body).toEqual({ recorded: 1 })
    expect(await status(issueId)).toMatchObject({ deliveryStatus: 'delivered' })
  })

  test('as its code ends the message as any other code does', async () => {
    world.sms.answer = () => answered(400, { code: NUL })
    expect(await status(await issue())).toMatchObject({ deliveryStatus: 'failed' })
  })

  test('of a message nobody has sent is no report', async () => {
    const report = await world.report('main', { messageId: NUL, status: NUL, code: NUL })
    expect(report).toMatchObject({ status: 200, body: { recorded: 0 } })
  })

  test('as the code of a report is told with it', async () => {
    const issueId = await issue()
    const messageId = `carrier-${world.sms.requests[0]?.messageId}`
    await world.report('main', { messageId, status: 'failed', code: NUL })
    await world.settle()
    expect(await status(issueId)).toMatchObject({ deliveryStatus: 'failed' })
  })
})

describe('what a caller asks for', () => {
  test.each([
    ['status', { issueId: NUL }],
    ['getIssue', { issueId: NUL }],
    ['getTemplate', { templateId: NUL }],
    ['listIssues', { cursor: NUL }],
    ['listIssues', { phoneNumber: NUL }],
    ['listCreditLedger', { cursor: NUL }],
  ] as const)('by %s %p is refused or not there', async (operation, input) => {
    const { status } = await world.call('rest', operation, input, { key: keys.live })
    expect([400, 404]).toContain(status)
  })
})

describe('what an operator writes is stored or refused:', () => {
  const LISTENS = { mode: 'live', url: 'https://hook.example.com/', events: ['otp.sent'] } as const
  const template = {
    templateId: 'greeting',
    name: 'Greeting',
    channelSupport: ['sms'] as const,
    variables: {},
    providerTemplateCode: 'X',
    body: '#{code}',
  }
  const words: Array<[string, () => Promise<unknown>]> = [
    ['the name of an app', async () => createApp(world.admin, { name: NUL })],
    ['the reference of a credit', () => addCredit(world.admin, { appId: keys.appId, amount: 1, reference: NUL })],
    ['the id of an app', () => addCredit(world.admin, { appId: NUL, amount: 1 })],
    ['the name of a template', () => saveTemplate(world.admin, keys.appId, { ...template, name: NUL })],
    ['the id of a template', () => saveTemplate(world.admin, keys.appId, { ...template, templateId: NUL })],
    ['the body of a template', () => saveTemplate(world.admin, keys.appId, { ...template, body: `${NUL}#{code}` })],
    [
      'a carrier’s template code',
      () => saveTemplate(world.admin, keys.appId, { ...template, providerTemplateCode: NUL }),
    ],
    [
      'the description of a variable',
      () =>
        saveTemplate(world.admin, keys.appId, {
          ...template,
          body: '#{code} #{v}',
          variables: { v: { required: true, description: NUL } },
        }),
    ],
    [
      'the address of a webhook',
      () => addEndpoint(world.admin, { ...LISTENS, appId: keys.appId, url: `https://a.example/${NUL}` }),
    ],
    [
      'the template of a webhook',
      () => addEndpoint(world.admin, { ...LISTENS, appId: keys.appId, template: `{"a":"${NUL}"}` }),
    ],
    [
      'a header of a webhook',
      () => addEndpoint(world.admin, { ...LISTENS, appId: keys.appId, headers: { 'x-a': NUL } }),
    ],
    ['the name of a carrier', () => world.provide(NUL, ['sms'], 'https://a.example/')],
    [
      'the name of a person',
      async () => {
        const passwords = { hash: async () => 'plain:', verify: async () => true, isCommon: () => false }
        const deps = { ...world.admin, passwords }
        const { token } = await invite(deps, { name: 'test' }, { role: 'viewer' })
        return join(deps, {}, { token, name: NUL, email: `${NUL}@example.com`, password: 'correct horse battery' })
      },
    ],
  ]

  test.each(words)('%s', async (_, write) => {
    const refusal = await write().then(
      () => undefined,
      (error) => error,
    )
    expect([undefined, 'invalid', 'not_found']).toContain(refusal && (refusal.kind ?? refusal))
    expect(await verifyAudit({ read: world.store.read, vault: world.vault })).toMatchObject({ isIntact: true })
  })
})
