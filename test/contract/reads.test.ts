import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { validate as isUuid } from 'uuid'
import { addCredit, createApp, saveTemplate } from '../../src/usecases/administer'
import { type Furnished, WIRES, World } from '../support/world'

const UNKNOWN = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'

describe.each(WIRES)('reads over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start({
      env: { WATCHWORD_LIMIT_ISSUES_PER_PHONE_10_MIN: '1000', WATCHWORD_LIMIT_ISSUES_PER_PHONE_DAY: '1000' },
    })
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const read = (operation: Parameters<World['call']>[1], input: object = {}, key = keys.live) =>
    world.call(wire, operation, input, { key })
  async function issue(input: object = {}): Promise<string> {
    const number = String(made++)
    const { body } = await world.call(
      wire,
      'issue',
      { phoneNumber: `010-5555-${number.padStart(4, '0')}`, purpose: 'read', idempotencyKey: number, ...input },
      { key: keys.live },
    )
    return body.issueId
  }

  describe('GET /status', () => {
    test('is the status view, exactly', async () => {
      // A carrier that answers at once may have done so before the status is read.
      world.sms.script(() => new Promise(() => {}))
      const issueId = await issue()
      const { body } = await read('status', { issueId })
      expect(Object.keys(body).sort()).toEqual(
        [
          'attemptsRemaining',
          'attemptsUsed',
          'createdAt',
          'deliveryStatus',
          'expiresAt',
          'issueId',
          'maxAttempts',
          'messageId',
          'mode',
          'overallStatus',
          'purpose',
          'templateId',
          'updatedAt',
          'verificationStatus',
        ].sort(),
      )
      expect(body).toMatchObject({
        deliveryStatus: 'queued',
        overallStatus: 'in_progress',
        verificationStatus: 'issued',
      })
    })

    test('overallStatus follows the delivery while issued, and the verification after', async () => {
      const issueId = await issue()
      await world.settle()
      const code = world.sms.lastCode()
      expect((await read('status', { issueId })).body).toMatchObject({
        deliveryStatus: 'sent',
        overallStatus: 'in_progress',
      })
      await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
      expect((await read('status', { issueId })).body).toMatchObject({
        deliveryStatus: 'delivered',
        overallStatus: 'delivered',
      })
      await read('verify', { issueId, code })
      const verified = (await read('status', { issueId })).body
      expect(verified).toMatchObject({ overallStatus: 'verified', verificationStatus: 'verified' })
      expect(verified.verifiedAt).toBe(new Date(world.clock.now()).toISOString())

      const failing = await issue()
      await world.settle()
      await world.report('main', { messageId: world.sms.requests[1]?.messageId ?? '', status: 'failed', code: 'E1' })
      expect((await read('status', { issueId: failing })).body).toMatchObject({
        overallStatus: 'delivery_failed',
        providerOutcomeCode: 'E1',
      })
      world.clock.step(180_000)
      expect((await read('status', { issueId: failing })).body).toMatchObject({ overallStatus: 'expired' })
    })

    test.each([[{}], [{ issueId: '' }], [{ issueId: '   ' }]])('%o: 400', async (input) => {
      const { status, body } = await read('status', input)
      expect(status).toBe(400)
      expect(body.message).toContain('issueId')
    })

    test.each([UNKNOWN, 'no-uuid', 'x'.repeat(129)])('%s: 404', async (issueId) => {
      const { status, body } = await read('status', { issueId })
      expect(status).toBe(404)
      expect(body).toMatchObject({ defined: true, code: 'NOT_FOUND', status: 404 })
    })
  })

  describe('GET /issues/{issueId}', () => {
    test('is the projection, exactly', async () => {
      const issueId = await issue({ metadata: { userId: 'u1' } })
      const { body } = await read('getIssue', { issueId })
      expect(Object.keys(body).sort()).toEqual(
        [
          'attemptsRemaining',
          'attemptsUsed',
          'billingStatus',
          'channel',
          'createdAt',
          'currency',
          'debitedAmount',
          'deliveryStatus',
          'expiresAt',
          'issueId',
          'maxAttempts',
          'mode',
          'overallStatus',
          'purpose',
          'templateId',
          'updatedAt',
          'verificationStatus',
        ].sort(),
      )
      expect(body).toMatchObject({ billingStatus: 'reserved', debitedAmount: 0, currency: 'CREDIT', channel: 'sms' })
    })

    test('not a UUID: 400; unknown: 404', async () => {
      expect((await read('getIssue', { issueId: 'no-uuid' })).status).toBe(400)
      expect((await read('getIssue', { issueId: UNKNOWN })).status).toBe(404)
    })

    test("another app's issue and the other mode's: 404", async () => {
      const issueId = await issue()
      const { appId } = await createApp(world.admin, { name: 'other' })
      const foreign = await world.key({ appId, kind: 'sk', mode: 'live' })
      for (const key of [foreign, keys.test]) {
        expect((await read('getIssue', { issueId }, key)).status).toBe(404)
        expect((await read('status', { issueId }, key)).status).toBe(404)
        expect((await read('listIssues', {}, key)).body.items).toEqual([])
      }
    })
  })

  describe('GET /issues', () => {
    async function pages(filter: object, between: () => Promise<unknown> = async () => {}) {
      const seen: string[] = []
      let cursor: string | undefined
      for (let page = 0; page < 50; page++) {
        const { status, body } = await read('listIssues', { ...filter, ...(cursor && { cursor }) })
        expect(status).toBe(200)
        seen.push(...body.items.map((item: { issueId: string }) => item.issueId))
        cursor = body.nextCursor
        if (cursor === undefined) return seen
        await between()
      }
      throw new Error('paging does not end')
    }

    test('pages newest first, without gaps or repeats, while rows are inserted', async () => {
      const made: string[] = []
      for (let index = 0; index < 17; index++) {
        made.unshift(await issue())
        if (index % 3 === 0) world.clock.step(1)
      }
      const createdAt = new Map<string, string>()
      for (const issueId of made) createdAt.set(issueId, (await read('getIssue', { issueId })).body.createdAt)
      const seen = await pages({ limit: 4 }, issue)
      expect(seen).toEqual(
        [...made].sort((a, b) => {
          const [x, y] = [createdAt.get(a) ?? '', createdAt.get(b) ?? '']
          return x === y ? (a < b ? 1 : -1) : x < y ? 1 : -1
        }),
      )
    })

    test('nextCursor is absent on the last page, also when it is full', async () => {
      for (let index = 0; index < 4; index++) await issue()
      expect((await read('listIssues', { limit: 4 })).body.nextCursor).toBeUndefined()
      expect((await read('listIssues', { limit: 3 })).body.nextCursor).toBeString()
      expect((await read('listIssues')).body.items).toHaveLength(4)
    })

    test('filters by effective status', async () => {
      const verified = await issue()
      await world.settle()
      await read('verify', { issueId: verified, code: world.sms.lastCode() })
      const exhausted = await issue({ maxAttempts: 1 })
      await world.settle()
      await read('verify', { issueId: exhausted, code: world.sms.lastCode() === '111111' ? '222222' : '111111' })
      const replaced = await issue({ phoneNumber: '010-7777-7777' })
      const expired = await issue({ phoneNumber: '010-7777-7777', expiresInSec: 30 })
      const active = await issue({ expiresInSec: 600 })
      world.clock.step(31_000)
      const byStatus = async (verificationStatus: string) => pages({ verificationStatus })
      const sweepIsYetToCome = [await byStatus('issued'), await byStatus('expired')]
      expect(sweepIsYetToCome).toEqual([[active], [expired]])
      await world.advance(2_000)
      expect(await byStatus('issued')).toEqual([active])
      expect(await byStatus('expired')).toEqual([expired])
      expect(await byStatus('verified')).toEqual([verified])
      expect(await byStatus('max_attempts')).toEqual([exhausted])
      expect(await byStatus('replaced')).toEqual([replaced])
    })

    test('createdFrom is inclusive, createdTo exclusive', async () => {
      const first = await issue()
      const at = world.clock.now()
      world.clock.step(1_000)
      const second = await issue()
      const iso = (ms: number) => new Date(ms).toISOString()
      expect(await pages({ createdFrom: iso(at) })).toEqual([second, first])
      expect(await pages({ createdFrom: iso(at + 1) })).toEqual([second])
      expect(await pages({ createdTo: iso(at + 1_000) })).toEqual([first])
      expect(await pages({ createdFrom: iso(at), createdTo: iso(at + 1) })).toEqual([first])
      expect(await pages({ createdFrom: '2026-03-01T21:00:00+09:00' })).toEqual([second, first])
    })

    test('a date-time may be written in lower case', async () => {
      await issue()
      world.clock.step(1_000)
      const second = await issue()
      expect(await pages({ createdFrom: '2026-03-01t12:00:01z' })).toEqual([second])
      expect(await pages({ createdFrom: '2026-03-01t21:00:01.000+09:00' })).toEqual([second])
      const ledger = async (range: object) => (await read('listCreditLedger', range)).body.items
      expect(await ledger({ createdFrom: '2026-03-01t12:00:00z', createdTo: '2026-03-01t12:00:00.001z' })).toHaveLength(
        1,
      )
    })

    test('a leap second is the moment that follows it, wherever it is written', async () => {
      const at = world.clock.now()
      world.clock.step(Date.parse('2026-06-30T23:59:59Z') - at)
      const before = await issue()
      world.clock.step(1_000)
      const after = await issue()
      for (const leap of ['2026-06-30T23:59:60Z', '2026-06-30t23:59:60.000z', '2026-07-01T08:59:60+09:00']) {
        expect(await pages({ createdFrom: leap })).toEqual([after])
        expect(await pages({ createdTo: leap })).toEqual([before])
      }
    })

    test('without input is what it is without a query', async () => {
      await issue()
      // Its message goes out meanwhile.
      await world.settle()
      const withInput = await read('listIssues')
      const without =
        wire === 'rpc' ? await world.send('POST', '/v1/rpc/otp/listIssues', {}, { key: keys.live }) : withInput
      expect([without.status, without.body]).toEqual([200, withInput.body])
      const noBody = await world.send('POST', '/v1/rpc/otp/listCreditLedger', undefined, { key: keys.live })
      expect([noBody.status, noBody.body]).toEqual([200, (await read('listCreditLedger')).body])
    })

    test.each([
      ['limit 0', { limit: 0 }],
      ['limit 101', { limit: 101 }],
      ['limit 1.5', { limit: 1.5 }],
      ['limit of letters', { limit: 'ten' }],
      ['unknown status', { verificationStatus: 'sent' }],
      ['malformed cursor', { cursor: 'abc' }],
      ['blank cursor', { cursor: ' ' }],
      ['not a date', { createdFrom: 'yesterday' }],
      ['date without time', { createdFrom: '2026-01-01' }],
      ['time without offset', { createdFrom: '2026-01-01T00:00:00' }],
      ['a leap second within a day', { createdFrom: '2026-01-01T12:59:60Z' }],
      ['a leap second that ends no day of UTC', { createdFrom: '2026-01-01T23:59:60+09:00' }],
      ['a leap second of no day', { createdFrom: '2026-02-30T23:59:60Z' }],
      ['empty range', { createdFrom: '2026-01-01T00:00:00Z', createdTo: '2026-01-01T00:00:00Z' }],
      ['backward range', { createdFrom: '2026-01-02T00:00:00Z', createdTo: '2026-01-01T00:00:00Z' }],
      ['unknown parameter', { offset: 5 }],
    ])('%s: 400', async (_, input) => {
      const { status, body } = await read('listIssues', input)
      expect(status).toBe(400)
      expect(body).toMatchObject({ defined: true, code: 'BAD_REQUEST' })
    })

    test('a cursor is bound to its endpoint, app and mode', async () => {
      await issue()
      await issue()
      await addCredit(world.admin, { appId: keys.appId, amount: 1 })
      const { nextCursor } = (await read('listIssues', { limit: 1 })).body
      const ledgerCursor = (await read('listCreditLedger', { limit: 1 })).body.nextCursor
      expect((await read('listCreditLedger', { cursor: nextCursor })).status).toBe(400)
      expect((await read('listIssues', { cursor: ledgerCursor })).status).toBe(400)
      expect((await read('listIssues', { cursor: nextCursor }, keys.test)).status).toBe(400)
      expect((await read('listIssues', { cursor: `${nextCursor}A` })).status).toBe(400)
      expect((await read('listIssues', { cursor: nextCursor })).status).toBe(200)
    })
  })

  describe('wallet', () => {
    test('balance is the sum of the ledger and balanceAfter of its newest entry', async () => {
      for (let index = 0; index < 5; index++) {
        await issue()
        await world.settle()
        await world.report('main', { messageId: world.sms.requests[index]?.messageId ?? '', status: 'delivered' })
      }
      await world.settle()
      await addCredit(world.admin, { appId: keys.appId, amount: 7 })
      const balance = (await read('balance')).body
      expect(balance).toEqual({
        appId: keys.appId,
        balance: 1_002,
        currency: 'CREDIT',
        updatedAt: expect.any(String),
        mode: 'live',
        walletId: `live:${keys.appId}`,
        walletScope: 'app',
        organizationId: keys.organizationId,
      })
      const { items } = (await read('listCreditLedger')).body
      expect(items[0].balanceAfter).toBe(1_002)
      expect(items.reduce((sum: number, { amountDelta }: { amountDelta: number }) => sum + amountDelta, 0)).toBe(1_002)
    })

    test('an entry has its fields, and an issueId only when it belongs to one', async () => {
      const issueId = await issue()
      await world.settle()
      await world.report('main', { messageId: world.sms.requests[0]?.messageId ?? '', status: 'delivered' })
      await world.settle()
      const [debit, credit] = (await read('listCreditLedger')).body.items
      expect(Object.keys(debit).sort()).toEqual([
        'amountDelta',
        'appId',
        'balanceAfter',
        'createdAt',
        'currency',
        'entryType',
        'issueId',
        'ledgerId',
      ])
      expect(debit).toMatchObject({ entryType: 'debit', appId: keys.appId, issueId, amountDelta: -1 })
      expect(credit.issueId).toBeUndefined()
    })

    test('an entry has a UUID that stays its own, and ties are broken by it', async () => {
      for (let index = 0; index < 5; index++) await addCredit(world.admin, { appId: keys.appId, amount: 1 })
      world.clock.step(1)
      await addCredit(world.admin, { appId: keys.appId, amount: 1 })
      const idsOf = async (query: object): Promise<string[]> =>
        (await read('listCreditLedger', query)).body.items.map(({ ledgerId }: { ledgerId: string }) => ledgerId)
      const ids = await idsOf({})
      expect(ids).toHaveLength(7)
      expect(ids.every(isUuid)).toBe(true)
      expect(ids).toEqual([...new Set(ids)].sort().reverse())
      expect(await idsOf({ limit: 2 })).toEqual(ids.slice(0, 2))
    })

    test('pages newest first by type, with entries of one millisecond in order', async () => {
      for (let index = 0; index < 9; index++) await addCredit(world.admin, { appId: keys.appId, amount: index + 1 })
      const seen: number[] = []
      let cursor: string | undefined
      do {
        const { body } = await read('listCreditLedger', { limit: 2, entryType: 'credit', ...(cursor && { cursor }) })
        seen.push(...body.items.map(({ amountDelta }: { amountDelta: number }) => amountDelta))
        cursor = body.nextCursor
      } while (cursor)
      expect(seen).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 1_000])
      expect((await read('listCreditLedger', { entryType: 'refund' })).body).toEqual({ items: [] })
      expect((await read('listCreditLedger', { entryType: 'gift' })).status).toBe(400)
    })

    test('createdFrom is inclusive, createdTo exclusive', async () => {
      const at = world.clock.now()
      world.clock.step(1_000)
      await addCredit(world.admin, { appId: keys.appId, amount: 2 })
      const iso = (ms: number) => new Date(ms).toISOString()
      const amounts = async (range: object) =>
        (await read('listCreditLedger', range)).body.items.map(
          ({ amountDelta }: { amountDelta: number }) => amountDelta,
        )
      expect(await amounts({ createdFrom: iso(at) })).toEqual([2, 1_000])
      expect(await amounts({ createdFrom: iso(at + 1) })).toEqual([2])
      expect(await amounts({ createdTo: iso(at + 1_000) })).toEqual([1_000])
      expect(await amounts({ createdFrom: iso(at), createdTo: iso(at + 1) })).toEqual([1_000])
      expect((await read('listCreditLedger', { createdFrom: iso(at), createdTo: iso(at) })).status).toBe(400)
    })

    test('keeps to both bounds on every page', async () => {
      const iso = (ms: number) => new Date(ms).toISOString()
      const at = world.clock.now() + 1_000
      for (const tens of [10, 20, 30]) {
        world.clock.step(1_000)
        for (const ones of [1, 2, 3]) await addCredit(world.admin, { appId: keys.appId, amount: tens + ones })
      }
      for (const kind of [{}, { entryType: 'credit' }]) {
        const range = { ...kind, createdFrom: iso(at), createdTo: iso(at + 2_000) }
        const seen: number[][] = []
        let cursor: string | undefined
        do {
          const { body } = await read('listCreditLedger', { limit: 2, ...range, ...(cursor && { cursor }) })
          seen.push(body.items.map(({ amountDelta }: { amountDelta: number }) => amountDelta))
          cursor = body.nextCursor
        } while (cursor && seen.length < 10)
        expect(seen).toEqual([
          [23, 22],
          [21, 13],
          [12, 11],
        ])
      }
    })

    test.each(['listIssues', 'listCreditLedger'] as const)(
      'a page of %s has fifty or up to a hundred',
      async (list) => {
        for (let n = 0; n < 110; n++) {
          if (list === 'listIssues') await issue()
          else await addCredit(world.admin, { appId: keys.appId, amount: 1 })
        }
        const lengthOf = async (input: object) => (await read(list, input)).body.items?.length
        expect([await lengthOf({}), await lengthOf({ limit: 100 }), await lengthOf({ limit: 1 })]).toEqual([50, 100, 1])
        for (const limit of [0, 101]) expect((await read(list, { limit })).status).toBe(400)
      },
    )

    test('in test mode the balance is simulated and fixed, the ledger empty', async () => {
      const before = (await read('balance', {}, keys.test)).body
      expect(before).toEqual({
        appId: keys.appId,
        balance: 1_000_000,
        currency: 'CREDIT',
        updatedAt: expect.any(String),
        mode: 'test',
        walletId: `test:${keys.appId}`,
        walletScope: 'test',
        organizationId: keys.organizationId,
        promoBalance: 0,
        promoNextExpiry: null,
      })
      await world.call(
        wire,
        'issue',
        { phoneNumber: '010-0000-0000', purpose: 'x', idempotencyKey: 'x' },
        { key: keys.test },
      )
      await world.advance(3_000)
      expect((await read('balance', {}, keys.test)).body.balance).toBe(1_000_000)
      expect((await read('listCreditLedger', {}, keys.test)).body).toEqual({ items: [] })
    })

    test('a wallet never used has a balance of 0', async () => {
      const { appId } = await createApp(world.admin, { name: 'new' })
      const key = await world.key({ appId, kind: 'sk', mode: 'live' })
      expect((await read('balance', {}, key)).body).toMatchObject({ appId, balance: 0 })
    })
  })

  describe('templates', () => {
    test('the list has the default, a note, and every summary field', async () => {
      const { body } = await read('listTemplates')
      expect(body.defaultTemplateId).toBe('otp_default_kr')
      expect(body.note).toBeString()
      expect(body.templates.map(({ templateId }: { templateId: string }) => templateId)).toEqual([
        'otp_default_kr',
        'otp_default_en',
      ])
      for (const template of body.templates) {
        expect(Object.keys(template).sort()).toEqual([
          'body',
          'channelSupport',
          'isDefault',
          'locale',
          'locales',
          'name',
          'providerTemplateCode',
          'templateId',
        ])
        expect(template.body).toContain('#{code}')
      }
    })

    test('the detail has the five fields of the specification, and its languages', async () => {
      const { body } = await read('getTemplate', { templateId: 'otp_default_en' })
      expect(Object.keys(body).sort()).toEqual([
        ...['bodies', 'body', 'channelSupport', 'locale', 'name', 'templateId', 'variables'],
      ])
      expect(body.variables).toEqual({ required: [], properties: {}, additionalProperties: false })
      for (const templateId of ['nope', 'x'.repeat(65), 'x'.repeat(4_000)])
        expect((await read('getTemplate', { templateId })).status).toBe(404)
    })

    test('neither list nor detail has the DLT ids of a template', async () => {
      await saveTemplate(world.admin, keys.appId, {
        ...{ templateId: 'welcome', name: 'Welcome', channelSupport: ['sms'], body: '#{code}', variables: {} },
        ...{ providerTemplateCode: 'W1', locale: 'en', dlt: { entityId: '1201', templateId: '1107' } },
        bodies: { hi: { body: 'कोड #{code}', providerTemplateCode: 'W2', dlt: { templateId: '1108' } } },
      })
      const { body: list } = await read('listTemplates')
      expect(list.templates.at(-1)).toEqual({
        ...{ templateId: 'welcome', name: 'Welcome', isDefault: false, providerTemplateCode: 'W1' },
        ...{ channelSupport: ['sms'], body: '#{code}', locale: 'en', locales: ['en', 'hi'] },
      })
      expect((await read('getTemplate', { templateId: 'welcome' })).body).toEqual({
        ...{ templateId: 'welcome', name: 'Welcome', channelSupport: ['sms'], body: '#{code}', locale: 'en' },
        bodies: { hi: { body: 'कोड #{code}', providerTemplateCode: 'W2' } },
        variables: { required: [], properties: {}, additionalProperties: false },
      })
    })

    test("an app's own template is its own, with variables that are checked and filled in", async () => {
      await saveTemplate(world.admin, keys.appId, {
        templateId: 'welcome',
        name: 'Welcome',
        channelSupport: ['sms'],
        body: '#{name}: #{code}#{hint}',
        variables: {
          name: { required: true, pattern: '[A-Z][a-z]+' },
          hint: { required: false, description: 'optional' },
        },
        providerTemplateCode: 'W1',
      })
      expect((await read('getTemplate', { templateId: 'welcome' })).body.variables).toEqual({
        required: ['name'],
        properties: {
          name: { type: 'string', pattern: '[A-Z][a-z]+' },
          hint: { type: 'string', description: 'optional' },
        },
        additionalProperties: false,
      })
      const { appId } = await createApp(world.admin, { name: 'other' })
      const foreign = await world.key({ appId, kind: 'sk', mode: 'live' })
      expect((await read('getTemplate', { templateId: 'welcome' }, foreign)).status).toBe(404)

      const send = (templateVariables: object | undefined, more: object = {}) =>
        read('issue', {
          phoneNumber: '010-1234-0000',
          purpose: 'p',
          idempotencyKey: `t${made++}`,
          templateId: 'welcome',
          templateVariables,
          ...more,
        })
      expect((await send({ name: 'Ada' })).status).toBe(200)
      await world.settle()
      expect(world.sms.requests.at(-1)?.text).toMatch(/^Ada: \d{6}$/)
      expect((await send(undefined)).body.message).toContain('name')
      for (const wrong of [
        undefined,
        {},
        { name: 'ada' },
        { name: 'Ada', other: 'x' },
        { name: 'Ada', code: '1' },
        { name: 5 },
      ]) {
        expect((await send(wrong)).status).toBe(400)
      }
      expect((await send({ name: 'Ada' }, { channel: 'alimtalk' })).status).toBe(400)
    })

    test('text over 90 EUC-KR bytes goes as LMS, and as SMS is refused', async () => {
      await saveTemplate(world.admin, keys.appId, {
        templateId: 'long',
        name: 'Long',
        channelSupport: ['sms'],
        body: `#{code}${'가'.repeat(43)}`,
        variables: {},
        providerTemplateCode: 'L',
      })
      const send = (more: object) =>
        read('issue', {
          phoneNumber: '010-1234-0000',
          purpose: 'p',
          idempotencyKey: `l${made++}`,
          templateId: 'long',
          ...more,
        })
      expect((await send({})).status).toBe(200)
      await world.settle()
      expect(world.sms.requests.at(-1)?.messageType).toBe('LMS')
      const refused = await send({ messageType: 'SMS' })
      expect(refused.status).toBe(400)
      expect(refused.body.message).toContain('messageType')
    })
  })
})

test.each([
  ['/v1/issues?limit=1&limit=2', 'limit'],
  ['/v1/status?issueId=a&issueId=b', 'issueId'],
])('%s: nobody knows which one is meant, and a stranger is not told', async (path, param) => {
  const world = await World.start()
  const keys = await world.furnish()
  const { status, body } = await world.send('GET', path, undefined, { key: keys.live })
  expect([status, body.data]).toEqual([400, { param, reason: 'duplicate_field' }])
  expect((await world.send('GET', path, undefined)).status).toBe(401)
  expect((await world.send('GET', '/v1/issues?limit=1.5', undefined, { key: keys.live })).body.message).toBe(
    'limit: must be a whole number. See /docs/guide/errors#wrong_type',
  )
  await world.stop()
})
