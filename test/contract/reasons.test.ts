import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { contract } from '../../contract'
import { errors } from '../../contract/error'
import { REASONS, type Reason } from '../../contract/reason'
import { Refusal } from '../../src/domain/shared/error'
import { OPERATOR_REASONS } from '../../src/domain/shared/reason'
import { fromRefusal } from '../../src/http/errors'
import type { Transport } from '../../src/ports/network'
import { saveTemplate, setChallenge } from '../../src/usecases/administer'
import { erasePhone } from '../../src/usecases/erase-phone'
import { answered } from '../support/carrier'
import { SUSPECT, suspect } from '../support/suspects'
import { UNTOLD } from '../support/untold'
import { type CallOptions, type Furnished, type Operation, WIRES, World } from '../support/world'

/** What only libraries write. */
const LIBRARY =
  /invalid input|invalid (string|uuid|option|key|iso|email|element)|too (big|small)|expected|received|unrecognized|validation|zod|>=|<=/i

const ISSUE = { phoneNumber: '010-0000-0000', purpose: 'reasons' }
/** Whose phone is erased. */
const ERASED = { phoneNumber: '010-8888-7777', purpose: 'reasons', idempotencyKey: 'erased' }
const VERIFY = { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77', code: '000000' }

interface Case {
  reason: Reason
  param?: string
  status?: number
  operation: Operation
  input: object
  options?: CallOptions
}

const ORIGIN = 'https://shop.example.com'

/** Of whom no proof is right. */
const toVendor = (others: Transport): Transport => ({
  request: async (request) =>
    request.url === VENDOR_URL ? answered(200, { success: false }) : others.request(request),
})
const VENDOR_URL = 'http://vendor.test/siteverify'

/** Each reason as a caller meets it; `keys` are made below. */
const cases = (keys: Record<'test' | 'live' | 'page' | 'livePage' | 'narrow' | 'foreign', string>): Case[] => {
  const issue = (more: object) => ({ ...ISSUE, idempotencyKey: crypto.randomUUID(), ...more })
  const variables = (templateVariables: object) => issue({ templateId: 'welcome', templateVariables })
  const wrongIssue = (reason: Reason, param: string, more: object): Case => ({
    reason,
    param,
    operation: 'issue',
    input: issue(more),
  })
  const metadata = (count: number, value = 'v') =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
  return [
    wrongIssue('required', 'phoneNumber', { phoneNumber: undefined }),
    wrongIssue('required', 'purpose', { purpose: '  ' }),
    wrongIssue('unknown_field', 'phone', { phone: '1' }),
    wrongIssue('wrong_type', 'smsFallback', { smsFallback: 'true' }),
    wrongIssue('wrong_type', 'cost', { cost: 1.5 }),
    wrongIssue('too_short', 'metadata', { metadata: { '': 'v' } }),
    wrongIssue('too_long', 'purpose', { purpose: 'x'.repeat(65) }),
    wrongIssue('too_long', 'metadata', { metadata: { ['k'.repeat(65)]: 'v' } }),
    wrongIssue('too_small', 'expiresInSec', { expiresInSec: 29 }),
    wrongIssue('too_large', 'maxAttempts', { maxAttempts: 11 }),
    wrongIssue('too_many', 'metadata', { metadata: metadata(33) }),
    wrongIssue('metadata_too_large', 'metadata', { metadata: metadata(2, 'x'.repeat(2_048)) }),
    wrongIssue('not_a_choice', 'channel', { channel: 'email' }),
    wrongIssue('invalid_characters', 'purpose', { purpose: 'a\u0000b' }),
    wrongIssue('invalid_format', 'idempotencyKey', { idempotencyKey: 'a b' }),
    {
      reason: 'invalid_format',
      param: 'Idempotency-Key',
      operation: 'issue',
      input: ISSUE,
      options: { headers: { 'idempotency-key': 'a b' } },
    },
    { reason: 'invalid_format', param: 'issueId', operation: 'getIssue', input: { issueId: 'nope' } },
    {
      reason: 'invalid_phone_number',
      param: 'phoneNumber',
      operation: 'issue',
      input: issue({ phoneNumber: '12' }),
      options: { key: keys.live },
    },
    ...[
      ['ambiguous_phone_number', '50581234567'],
      ['phone_number_without_texts', '02-312-3456'],
    ].map(([reason, phoneNumber]) => ({
      reason: reason as Reason,
      param: 'phoneNumber',
      operation: 'issue' as const,
      input: issue({ phoneNumber }),
      options: { key: keys.live },
    })),
    wrongIssue('test_number_required', 'phoneNumber', { phoneNumber: '010-1234-5678' }),
    {
      reason: 'test_number_in_live_mode',
      param: 'phoneNumber',
      operation: 'issue',
      input: issue({}),
      options: { key: keys.live },
    },
    { reason: 'code_not_six_digits', param: 'code', operation: 'verify', input: { ...VERIFY, code: '12345' } },
    wrongIssue('unknown_template', 'templateId', { templateId: 'nope' }),
    wrongIssue('channel_not_supported', 'templateId', {
      templateId: 'welcome',
      templateVariables: { name: 'Ada' },
      channel: 'alimtalk',
    }),
    {
      reason: 'unknown_template_variable',
      param: 'templateVariables.x',
      operation: 'issue',
      input: variables({ x: '1' }),
    },
    { reason: 'template_variable_required', param: 'templateVariables.name', operation: 'issue', input: variables({}) },
    {
      reason: 'template_variable_mismatch',
      param: 'templateVariables.name',
      operation: 'issue',
      input: variables({ name: 'ada' }),
    },
    {
      reason: 'reserved_template_variable',
      param: 'templateVariables.code',
      operation: 'issue',
      input: variables({ code: '1' }),
    },
    wrongIssue('message_too_long', 'messageType', {
      templateId: 'welcome',
      templateVariables: { name: `A${'a'.repeat(90)}` },
      messageType: 'SMS',
    }),
    { reason: 'invalid_date', param: 'createdFrom', operation: 'listIssues', input: { createdFrom: 'yesterday' } },
    {
      reason: 'date_range_reversed',
      param: 'createdTo',
      operation: 'listCreditLedger',
      input: { createdFrom: '2026-02-01T00:00:00Z', createdTo: '2026-01-01T00:00:00Z' },
    },
    { reason: 'invalid_cursor', param: 'cursor', operation: 'listIssues', input: { cursor: 'nope' } },
    { reason: 'idempotency_key_required', param: 'idempotencyKey', operation: 'issue', input: ISSUE },
    {
      reason: 'idempotency_key_mismatch',
      param: 'idempotencyKey',
      operation: 'issue',
      input: issue({}),
      options: { headers: { 'idempotency-key': 'another' } },
    },
    {
      reason: 'idempotency_key_reused',
      param: 'idempotencyKey',
      status: 409,
      operation: 'issue',
      input: { ...ISSUE, purpose: 'another', idempotencyKey: 'used' },
    },
    {
      reason: 'idempotency_key_replaced',
      param: 'idempotencyKey',
      status: 409,
      operation: 'issue',
      input: { ...ISSUE, idempotencyKey: 'used' },
    },
    {
      reason: 'idempotency_key_forgotten',
      param: 'idempotencyKey',
      status: 409,
      operation: 'issue',
      input: ERASED,
      options: { key: keys.live },
    },
    { reason: 'scope_missing', status: 403, operation: 'balance', input: {}, options: { key: keys.narrow } },
    { reason: 'server_only', status: 403, operation: 'balance', input: {}, options: { key: keys.page } },
    { reason: 'origin_missing', status: 403, operation: 'verify', input: VERIFY, options: { key: keys.page } },
    {
      reason: 'origin_not_allowed',
      status: 403,
      operation: 'verify',
      input: VERIFY,
      options: { key: keys.page, headers: { origin: 'https://elsewhere.example' } },
    },
    ...[
      { reason: 'from_not_allowed' as const, param: 'from', more: { from: '0212345678' } },
      {
        reason: 'free_text_not_allowed' as const,
        param: 'templateVariables.note',
        more: { templateId: 'note', templateVariables: { note: 'https://elsewhere.example' } },
      },
    ].map(({ reason, param, more }) => ({
      reason,
      param,
      status: 403,
      operation: 'issue' as const,
      input: issue({ phoneNumber: '010-1234-5678', ...more }),
      options: { key: keys.livePage, headers: { origin: ORIGIN } },
    })),
    {
      reason: 'country_closed',
      param: 'phoneNumber',
      status: 403,
      operation: 'issue',
      input: issue({ phoneNumber: '+81 90 1234 5678' }),
      options: { key: keys.livePage, headers: { origin: ORIGIN } },
    },
    { reason: 'address_not_allowed', status: 403, operation: 'balance', input: {}, options: { key: keys.foreign } },
    ...[
      { reason: 'challenge_required' as const, more: {} },
      { reason: 'challenge_failed' as const, more: { challenge: 'wrong' } },
    ].map(({ reason, more }) => ({
      reason,
      param: 'challenge',
      status: 403,
      operation: 'issue' as const,
      input: issue({ phoneNumber: SUSPECT, ...more }),
      options: { key: keys.live },
    })),
  ]
}

/** What is wrong before there are fields. */
const BODIES: Array<[reason: Reason, param: string, raw: string, headers?: Record<string, string>]> = [
  ['duplicate_field', 'purpose', '{"purpose":"a","purpose":"b"}'],
  ['invalid_json', 'body', '{"purpose":'],
  ['invalid_json', 'body', '['.repeat(100)],
  ['wrong_type', 'body', '[]'],
  ['unsupported_media_type', 'content-type', '{}', { 'content-type': 'text/plain' }],
  ['unsupported_media_type', 'content-encoding', '{}', { 'content-encoding': 'gzip' }],
]

describe.each(WIRES)('why a request is refused, over %s', (wire) => {
  let world: World
  let keys: Furnished
  let all: Case[]

  beforeAll(async () => {
    world = await World.start({
      env: { WATCHWORD_TURNSTILE_URL: VENDOR_URL },
      wrapTransport: toVendor,
    })
    keys = await world.furnish()
    const { appId } = keys
    await suspect(world, appId, [{ key: keys.live, kind: 'sk' }])
    const { numbering } = world.config
    await world.call('rest', 'issue', ERASED, { key: keys.live })
    await erasePhone({ ...world.admin, telemetry: UNTOLD, numbering }, ERASED)
    await setChallenge(world.admin, appId, { vendor: 'turnstile', secret: 'secret' })
    await saveTemplate(world.admin, appId, {
      templateId: 'welcome',
      name: 'Welcome',
      channelSupport: ['sms'],
      body: '#{name}: #{code}',
      variables: { name: { pattern: '[A-Z][a-z]+', required: true } },
      providerTemplateCode: 'W1',
    })
    await saveTemplate(world.admin, appId, {
      templateId: 'note',
      name: 'Note',
      channelSupport: ['sms'],
      body: '#{note}: #{code}',
      variables: { note: { required: true } },
      providerTemplateCode: 'N1',
    })
    all = cases({
      ...keys,
      page: await world.key({ appId, kind: 'pk', mode: 'test' }),
      livePage: await world.key({ appId, kind: 'pk', mode: 'live', allowedOrigins: [ORIGIN] }),
      narrow: await world.key({ appId, kind: 'sk', mode: 'live', scopes: ['otp:issue'] }),
      foreign: await world.key({ appId, kind: 'sk', mode: 'live', allowedCidrs: ['10.9.8.0/24'] }),
    })
    for (const idempotencyKey of ['used', 'newer'])
      expect((await call('issue', { ...ISSUE, idempotencyKey })).status).toBe(200)
  })
  afterAll(() => world.stop())

  const call = (operation: Operation, input: object, options: CallOptions = {}) =>
    world.call(wire, operation, input, { key: keys.test, ...options })

  /** What the contract declares of the error's data: everything that is there, and nothing else. */
  // biome-ignore lint/suspicious/noExplicitAny: a JSON document
  function expectDeclared(operation: Operation, body: any): void {
    const { data } = contract[operation]['~orpc'].errorMap[body.code as 'BAD_REQUEST']
    expect(data?.parse(body.data)).toEqual(body.data)
  }

  test('each is told by a word and the field it is about, in our own sentence', async () => {
    for (const { reason, param, status = 400, operation, input, options } of all) {
      const { body, ...answer } = await call(operation, input, options)
      const told = { operation, reason: body.data?.reason, param: body.data?.param, status: answer.status }
      expect(told).toEqual({ operation, reason, param, status })
      expect(body).toMatchObject({ defined: true, status })
      expect(body.message).not.toMatch(LIBRARY)
      expect(body.message).toEndWith(`. See /docs/guide/errors#${reason}`)
      expectDeclared(operation, body)
    }
  })

  test.each(BODIES)('%s of %s, before there are fields', async (reason, param, raw, headers = {}) => {
    const path = wire === 'rpc' ? '/v1/rpc/otp/issue' : '/v1/issue'
    const { status, body } = await world.send('POST', path, raw, { key: keys.test, headers })
    expect({ status, defined: body.defined, data: body.data }).toEqual({
      status: 400,
      defined: true,
      data: { param, reason },
    })
  })

  test('these are all the reasons there are', () => {
    const met = new Set([...all.map(({ reason }) => reason), ...BODIES.map(([reason]) => reason)])
    expect([...met].sort()).toEqual((Object.keys(REASONS) as Reason[]).sort())
  })

  const WRONG = [
    ...[null, true, 0, -1, 1.5, 1e21, '', '   ', 'x', '\u0000', '\ud800', 'x'.repeat(600), '2026-13-40T99:99:99Z'],
    ...[[], ['a'], {}, { a: 1 }, { a: { b: 'c' } }, { '': 'v' }, { '\u0007': 'v' }, [[['x']]]],
  ]
  const good: Partial<Record<Operation, object>> = {
    issue: ISSUE,
    verify: VERIFY,
    status: { issueId: VERIFY.issueId },
    getIssue: { issueId: VERIFY.issueId },
    getTemplate: { templateId: 'welcome' },
  }

  test('any field with any wrong value: a reason of the list, the field, and no text of a library', async () => {
    let refused = 0
    for (const operation of Object.keys(contract) as Operation[]) {
      const { inputSchema } = contract[operation]['~orpc']
      const { shape = {} } = inputSchema as { shape?: object }
      for (const field of [...Object.keys(shape), 'unheardOf']) {
        // A path has no room for what would be another path.
        // The limit of test keys is 120 a minute.
        await world.leap(60_000)
        const isInPath = contract[operation]['~orpc'].route.path?.includes(`{${field}}`)
        for (const value of WRONG) {
          if (wire === 'rest' && isInPath && (typeof value !== 'string' || !value.isWellFormed())) continue
          const input = { ...good[operation], [field]: value }
          const { status, body } = await call(operation, input)
          expect([200, 400, 404]).toContain(status)
          if (status !== 400) continue
          refused++
          expect({ operation, field, value, known: body.data.reason in REASONS }).toEqual({
            operation,
            field,
            value,
            known: true,
          })
          expect(body.message).not.toMatch(LIBRARY)
          const { param, code } = body.data
          // The specification has a code for a number of the other mode, and the message begins with that.
          expect(body.message).toStartWith(code === undefined ? `${param}: ` : `${code} ${param}: `)
          expectDeclared(operation, body)
        }
      }
    }
    expect(refused).toBeGreaterThan(300)
  })
})

describe('docs/errors.md has a section for each, and no other:', async () => {
  const page = await Bun.file(join(import.meta.dir, '../../docs/errors.md')).text()
  const sectionsOf = (heading: string) => {
    const [part = ''] = (page.split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')
    return part.split('\n### ').slice(1)
  }

  test('code', () => {
    const sections = sectionsOf('Codes')
    expect(sections.map((section) => section.split('`')[1])).toEqual(Object.keys(errors))
    for (const section of sections)
      expect(section).toMatch(/^`\w+`\n\n.+\n\n- \*\*Caller:\*\* .+\n- \*\*Operator:\*\* .+\n$/)
  })

  test.each([
    ['Reasons', REASONS, /^- \*\*Caller:\*\* .+\n- \*\*Operator:\*\* .+\n$/],
    ['Reasons for operators', OPERATOR_REASONS, /^- \*\*Operator:\*\* .+\n$/],
  ] as const)('%s', (heading, meanings, isAdvice) => {
    const sections = sectionsOf(heading).map((section) => section.split('\n\n'))
    expect(sections.map(([name, meaning]) => [name, meaning])).toEqual(
      Object.entries(meanings).map(([name, meaning]) => [`\`${name}\``, meaning]),
    )
    for (const [, , advice] of sections) expect(`${advice?.trimEnd()}\n`).toMatch(isAdvice)
  })
})

describe('a message ends with the address of its section:', () => {
  const linkIn = (refusal: Refusal) => / See (\S+)$/.exec(fromRefusal(refusal).message)?.[1]

  test.each(Object.keys(REASONS) as Reason[])('%s', (reason) => {
    expect(linkIn(new Refusal('invalid', 'x', { param: 'a', reason }))).toBe(`/docs/guide/errors#${reason}`)
  })

  test.each([
    ['unauthorized', '/docs/guide/errors#unauthorized'],
    ['no_credit', '/docs/guide/errors#payment_required'],
    ['limited', '/docs/guide/errors#too_many_requests'],
    ['not_found', '/docs/guide/errors#not_found'],
    ['too_large', '/docs/guide/errors#payload_too_large'],
    ['unavailable', undefined],
  ] as const)('%s without a reason: %p', (kind, link) => {
    expect(linkIn(new Refusal(kind, 'x'))).toBe(link)
  })
})

test('a message has five hundred characters at most, whatever it quotes', () => {
  for (const [length, told] of [
    [500, 500],
    [501, 500],
  ] as const)
    expect(fromRefusal(new Refusal('not_found', 'x'.repeat(length))).message).toHaveLength(told)
})
