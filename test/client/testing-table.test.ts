/** Test mode in memory says what the real service says: one table of stories, and any other ones. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { TestTemplate } from '../../client/testing'
import { isNightly } from '../support/depth'
import fc from '../support/property'
import { HANGS_AFTER_MS } from '../support/until'
import { World } from '../support/world'
import { type Line, realSide, sideInMemory, tell } from './stories'

setDefaultTimeout(HANGS_AFTER_MS)

let world: World
beforeAll(async () => {
  world = await World.start()
})
afterAll(() => world.stop())

const WELCOME: TestTemplate = {
  templateId: 'welcome',
  name: 'Welcome',
  channelSupport: ['sms'],
  body: '#{name}: #{code} #{note}',
  variables: {
    required: ['name'],
    properties: { name: { type: 'string', pattern: '[A-Z][a-z]+', description: 'Who' }, note: { type: 'string' } },
    additionalProperties: false,
  },
}

/** Short in its own language, and longer than one SMS in another. */
const GREETING: TestTemplate = {
  ...{ templateId: 'greeting', name: 'Greeting', channelSupport: ['sms'], body: 'Hi #{code}', locale: 'en' },
  bodies: { fr: { body: `${'Bonjour '.repeat(12)}#{code}` } },
  variables: { required: [], properties: {}, additionalProperties: false },
}

let keys = 0
const order = (phoneNumber: string, more: object = {}) => ({
  ...{ phoneNumber, purpose: 'signup', idempotencyKey: `key-${++keys}`, ...more },
})
const magic = (xx: number) => `010-0000-00${String(xx).padStart(2, '0')}`

const issue = (phoneNumber: string, says: object = { mode: 'test' }, more: object = {}): Line => ({
  ...{ call: 'issue', input: order(phoneNumber, more), says },
})
const refused = (input: object, says: object): Line => ({ call: 'issue', input, says })
const verify = (code: string, says: object, issueId = '$1'): Line => ({
  call: 'verify',
  input: { issueId, code },
  says,
})
const status = (says: object, issueId = '$1'): Line => ({ call: 'status', input: { issueId }, says })
const list = (input: object, says: object): Line => ({ call: 'listIssues', input, says })
const pass = (ms: number): Line => ({ pass: ms })
const times = (count: number, line: Line): Line[] => Array.from({ length: count }, () => line)

/** With the number that the code was sent to, as somebody says. */
const claim = (phoneNumber: string, says: object, code = '000000', issueId = '$1'): Line => ({
  ...{ call: 'verify', input: { issueId, code, phoneNumber }, says },
})

const RIGHT = '000000'
const WRONG = '123456'
const isVerified = verify(RIGHT, { verified: true })
/** Where it is at a time, on its way from there to the next. */
const delivery = (timeline: Record<number, string>, more: Record<number, object> = {}): Line[] =>
  Object.entries(timeline).flatMap(([at, deliveryStatus], index, all) => [
    pass(Number(at) - Number(all[index - 1]?.[0] ?? 0)),
    status({ deliveryStatus, ...more[Number(at)] }),
  ])

const SUCCESS = delivery({ 0: 'queued', 999: 'queued', 1000: 'sent', 1999: 'sent', 2000: 'delivered' })
const KEPT = 'as-it-was'
const bad = (reason: string, param?: string) => ({ code: 'BAD_REQUEST', status: 400, reason, ...(param && { param }) })
const DAY_MS = 86_400_000

const STORIES: Record<string, Line[]> = {
  '00: delivered after two seconds, and verified': [
    issue(magic(0), { attemptsRemaining: 5, mode: 'test' }),
    ...SUCCESS,
    isVerified,
    status({ overallStatus: 'verified', attemptsUsed: 0 }),
  ],
  '01: fails after three seconds, and is verified all the same': [
    issue(magic(1)),
    ...delivery(
      { 999: 'queued', 1000: 'sent', 2999: 'sent', 3000: 'failed' },
      {
        3000: { providerOutcomeCode: 'TEST_DELIVERY_FAILED', overallStatus: 'delivery_failed' },
      },
    ),
    isVerified,
  ],
  '02: delivered after thirty seconds': [
    issue(magic(2)),
    ...delivery({ 999: 'queued', 1000: 'sent', 29999: 'sent', 30000: 'delivered' }),
    isVerified,
  ],
  '03: nobody knows whether it was sent': [
    issue(magic(3)),
    pass(1_000),
    status({
      deliveryStatus: 'sent',
      providerOutcomeAmbiguous: true,
      providerOutcomeCode: 'TEST_PROVIDER_OUTCOME_UNKNOWN',
    }),
    pass(100_000),
    status({ deliveryStatus: 'sent', providerOutcomeAmbiguous: true }),
    isVerified,
  ],
  '04: expires after ten seconds': [
    issue(magic(4), { attemptsRemaining: 5 }, { expiresInSec: 600 }),
    pass(9_999),
    status({ verificationStatus: 'issued' }),
    pass(1),
    verify(RIGHT, { verified: false, reasonCode: 'EXPIRED' }),
    status({ verificationStatus: 'expired', overallStatus: 'expired', deliveryStatus: 'delivered' }),
  ],
  '04: is verified before': [issue(magic(4)), pass(9_999), isVerified],
  '05: every code is wrong': [
    issue(magic(5), { attemptsRemaining: 2 }, { maxAttempts: 2 }),
    verify(RIGHT, { verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 1 }),
    verify(WRONG, { verified: false, reasonCode: 'MAX_ATTEMPTS', attemptsRemaining: 0 }),
    verify(RIGHT, { verified: false, reasonCode: 'MAX_ATTEMPTS', attemptsRemaining: 0 }),
    status({ verificationStatus: 'max_attempts', attemptsUsed: 2 }),
    ...delivery({ 2000: 'delivered' }),
  ],
  '06: too many': [
    issue(magic(6), {
      ...{ code: 'TOO_MANY_REQUESTS', status: 429, retryAfterMs: 60_000, retryable: true },
      data: { limit: 'perPhone', policy: 'platform', retryAfterMs: 60_000 },
    }),
  ],
  '07: no credit': [issue(magic(7), { code: 'PAYMENT_REQUIRED', status: 402, data: { code: 'INSUFFICIENT_CREDIT' } })],
  '08: no more trials until midnight': [
    issue(magic(8), {
      code: 'PAYMENT_REQUIRED',
      data: { code: 'TRIAL_DAILY_LIMIT_EXCEEDED', resetAt: expect.any(String) },
    }),
  ],
  '09: unavailable': [
    issue(magic(9), { code: 'SERVICE_UNAVAILABLE', status: 503, retryAfterMs: 2_000, retryable: true }),
  ],
  '10: an AlimTalk that fails goes on as SMS': [
    issue(magic(10)),
    ...delivery({ 0: 'queued', 1000: 'sent', 2999: 'sent', 3000: 'sent', 3500: 'sent', 4000: 'delivered' }),
    {
      call: 'getIssue',
      input: { issueId: '$1' },
      says: { channel: 'alimtalk', billingStatus: 'released', debitedAmount: 0 },
    },
    isVerified,
  ],
  '10: without fallback it fails': [
    issue(magic(10), {}, { smsFallback: false }),
    ...delivery({ 2999: 'sent', 3000: 'failed' }),
    isVerified,
  ],
  '10: as SMS it is delivered': [issue(magic(10), {}, { channel: 'sms' }), ...SUCCESS],
  '00 as an AlimTalk is delivered': [issue(magic(0), {}, { channel: 'alimtalk' }), ...SUCCESS],
  '11 is as 00': [issue(magic(11)), ...SUCCESS, isVerified],
  '99 is as 00': [issue(magic(99)), ...SUCCESS, isVerified],
  'of the United Kingdom': [issue('+44 7700 900001'), pass(3_000), status({ deliveryStatus: 'failed' })],
  'of the United States': [
    issue('+1 (212) 555-0104'),
    issue('1-907-555-0106', { code: 'TOO_MANY_REQUESTS' }),
    pass(10_000),
    verify(RIGHT, { reasonCode: 'EXPIRED' }),
  ],
  'in whatever way it is written': [
    issue('０１０－００００－００００'),
    issue('+82 10-0000-0000'),
    issue('0082 10 0000 0000', { mode: 'test' }),
    verify(RIGHT, { reasonCode: 'REPLACED' }, '$2'),
    verify(RIGHT, { verified: true }, '$3'),
  ],
  'a number that is none': [
    issue('010-1234-5678', {
      ...bad('test_number_required', 'phoneNumber'),
      data: { code: 'TEST_NUMBER_REQUIRED', param: 'phoneNumber', reason: 'test_number_required' },
    }),
    issue('nonsense', bad('test_number_required')),
  ],

  'wrong codes, then the right one, then nothing more': [
    issue(magic(0), {}, { maxAttempts: 3 }),
    verify(WRONG, { verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 2 }),
    verify(WRONG, { verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 1 }),
    pass(5_000),
    verify(RIGHT, { verified: true, attemptsRemaining: 1 }),
    pass(5_000),
    verify(RIGHT, { verified: false, reasonCode: 'ALREADY_VERIFIED', verifiedAt: expect.any(String) }),
    pass(1_000_000),
    verify(RIGHT, { verified: false, reasonCode: 'ALREADY_VERIFIED' }),
    status({ verificationStatus: 'verified', attemptsUsed: 2, attemptsRemaining: 1 }),
  ],
  'too many wrong codes': [
    issue(magic(0), {}, { maxAttempts: 1 }),
    verify(WRONG, { reasonCode: 'MAX_ATTEMPTS', attemptsRemaining: 0 }),
    verify(RIGHT, { reasonCode: 'MAX_ATTEMPTS' }),
  ],
  'the right code too late': [
    issue(magic(0), {}, { expiresInSec: 45 }),
    pass(44_999),
    verify(WRONG, { reasonCode: 'MISMATCH' }),
    pass(1),
    verify(RIGHT, { verified: false, reasonCode: 'EXPIRED', attemptsRemaining: 4 }),
  ],
  'another code for the same phone and purpose': [
    issue(magic(0)),
    issue(magic(0), {}, { purpose: 'login' }),
    issue('+821000000000', {}, { purpose: ' signup ' }),
    verify(RIGHT, { verified: false, reasonCode: 'REPLACED' }, '$1'),
    status({ verificationStatus: 'replaced', overallStatus: 'replaced' }),
    verify(RIGHT, { verified: true }, '$2'),
    verify(RIGHT, { verified: true }, '$3'),
    pass(2_000),
    status({ deliveryStatus: 'delivered', overallStatus: 'replaced' }),
  ],
  'a code that has expired is not replaced': [
    issue(magic(4)),
    pass(10_000),
    issue(magic(4)),
    verify(RIGHT, { reasonCode: 'EXPIRED' }, '$1'),
    verify(RIGHT, { verified: true }, '$2'),
  ],
  'one that nobody has issued': [
    verify(RIGHT, { verified: false, reasonCode: 'NOT_FOUND', attemptsRemaining: 0 }, 'nobody'),
    verify(RIGHT, { reasonCode: 'NOT_FOUND' }, '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'),
    status({ code: 'NOT_FOUND', status: 404 }, 'nobody'),
    status({ code: 'NOT_FOUND', status: 404 }, '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'),
    status(bad('required', 'issueId'), ' '),
    { call: 'getIssue', input: { issueId: 'nobody' }, says: bad('invalid_format', 'issueId') },
    { call: 'getIssue', input: { issueId: '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77' }, says: { code: 'NOT_FOUND' } },
  ],
  'a proof of the number': [
    issue(magic(0), {}, { metadata: { user: '1' } }),
    claim('010-1234-5678', bad('test_number_required', 'phoneNumber')),
    claim('', bad('required', 'phoneNumber')),
    claim(magic(0), { reasonCode: 'MISMATCH' }, WRONG),
    claim('+82 10 0000 0000', {
      verified: true,
      proof: { phone_number: '+821000000000', phone_number_verified: true, purpose: 'signup', mode: 'test' },
    }),
    claim(magic(0), { reasonCode: 'ALREADY_VERIFIED' }),
    claim('nonsense', bad('test_number_required'), RIGHT, 'nobody'),
    claim(magic(0), { reasonCode: 'NOT_FOUND' }, RIGHT, 'nobody'),
  ],
  'no proof of another number': [
    issue(magic(0)),
    claim(magic(1), { verified: true }),
    status({ overallStatus: 'verified' }),
  ],
  'an id in capitals': [
    issue(magic(0)),
    status({}, '$1!'),
    { call: 'getIssue', input: { issueId: '$1!' }, says: {} },
    verify(RIGHT, {}, '$1!'),
  ],
  'what is no code': [
    issue(magic(0)),
    verify('12345', bad('code_not_six_digits', 'code')),
    verify('０００００0', bad('code_not_six_digits')),
    verify(RIGHT, bad('required', 'issueId'), ''),
    { call: 'verify', input: { code: RIGHT }, says: bad('required', 'issueId') },
    { call: 'verify', input: { issueId: '$1', code: 0 }, says: bad('wrong_type', 'code') },
    { call: 'verify', input: { issueId: '$1', code: RIGHT, purpose: 'p' }, says: bad('unknown_field', 'purpose') },
    isVerified,
  ],

  'the same key: the same answer, also after everything': [
    issue(magic(0), {}, { idempotencyKey: KEPT }),
    issue(magic(0), {}, { idempotencyKey: ` ${KEPT} ` }),
    // Spelling out a default is the same request.
    issue(
      '+82 10 0000 0000',
      {},
      { idempotencyKey: KEPT, channel: 'sms', expiresInSec: 180, templateId: 'otp_default_kr' },
    ),
    verify(WRONG, { reasonCode: 'MISMATCH' }),
    isVerified,
    pass(1_000_000),
    issue(magic(0), { attemptsRemaining: 5 }, { idempotencyKey: KEPT }),
    list({}, { items: [{ verificationStatus: 'verified' }] }),
  ],
  'the same key for something else': [
    issue(magic(0), {}, { idempotencyKey: KEPT }),
    ...[
      { purpose: 'login' },
      { maxAttempts: 4 },
      { cost: 1 },
      { metadata: { a: 'b' } },
      { from: '1' },
      { phoneNumber: magic(1) },
    ].map((more) =>
      issue(
        magic(0),
        { code: 'CONFLICT', status: 409, reason: 'idempotency_key_reused' },
        { idempotencyKey: KEPT, ...more },
      ),
    ),
  ],
  'the same key for one that was replaced': [
    issue(magic(0), {}, { idempotencyKey: KEPT }),
    issue(magic(0)),
    issue(
      magic(0),
      { code: 'CONFLICT', status: 409, reason: 'idempotency_key_replaced', param: 'idempotencyKey' },
      { idempotencyKey: KEPT },
    ),
  ],
  'a key of what was refused is free': [
    issue(magic(7), { code: 'PAYMENT_REQUIRED' }, { idempotencyKey: KEPT }),
    issue(magic(0), { mode: 'test' }, { idempotencyKey: KEPT }),
    issue(magic(7), { reason: 'idempotency_key_reused' }, { idempotencyKey: KEPT }),
  ],
  'a key is new again after seven days': [
    issue(magic(0), {}, { idempotencyKey: KEPT }),
    pass(7 * DAY_MS - 1),
    issue(magic(1), { reason: 'idempotency_key_reused' }, { idempotencyKey: KEPT }),
    pass(1),
    issue(magic(1), { mode: 'test' }, { idempotencyKey: KEPT }),
  ],
  'keys that are none': [
    refused({ phoneNumber: magic(0), purpose: 'p' }, bad('idempotency_key_required', 'idempotencyKey')),
    issue(magic(0), bad('invalid_format', 'idempotencyKey'), { idempotencyKey: 'two words' }),
    issue(magic(0), bad('invalid_format', 'idempotencyKey'), { idempotencyKey: 'a'.repeat(129) }),
  ],

  'inputs that do not fit': [
    refused({ purpose: 'p', idempotencyKey: 'k' }, bad('required', 'phoneNumber')),
    refused({ phoneNumber: magic(0), idempotencyKey: 'k' }, bad('required', 'purpose')),
    issue(' ', bad('required', 'phoneNumber')),
    issue('0'.repeat(33), bad('too_long', 'phoneNumber')),
    issue(magic(0), bad('too_long', 'purpose'), { purpose: 'p'.repeat(65) }),
    issue(magic(0), bad('invalid_characters', 'purpose'), { purpose: 'a\nb' }),
    issue(magic(0), bad('not_a_choice', 'channel'), { channel: 'pigeon' }),
    issue(magic(0), bad('not_a_choice', 'messageType'), { messageType: 'MMS' }),
    issue(magic(0), bad('wrong_type', 'smsFallback'), { smsFallback: 'no' }),
    issue(magic(0), bad('too_long', 'from'), { from: 'f'.repeat(65) }),
    issue(magic(0), bad('too_small', 'expiresInSec'), { expiresInSec: 29 }),
    issue(magic(0), bad('too_large', 'expiresInSec'), { expiresInSec: 601 }),
    issue(magic(0), bad('wrong_type', 'expiresInSec'), { expiresInSec: 30.5 }),
    issue(magic(0), bad('too_small', 'maxAttempts'), { maxAttempts: 0 }),
    issue(magic(0), bad('too_large', 'maxAttempts'), { maxAttempts: 11 }),
    issue(magic(0), bad('too_small', 'cost'), { cost: 0 }),
    issue(magic(0), bad('too_large', 'cost'), { cost: 100_001 }),
    issue(magic(0), bad('too_many', 'metadata'), {
      metadata: Object.fromEntries(times(33, pass(0)).map((_, n) => [n, ''])),
    }),
    issue(magic(0), bad('metadata_too_large', 'metadata'), { metadata: { a: 'x'.repeat(4_096) } }),
    issue(magic(0), bad('wrong_type', 'metadata.a'), { metadata: { a: 1 } }),
    issue(magic(0), bad('unknown_field', 'imagined'), { imagined: true }),
    issue(magic(0), { code: 'BAD_REQUEST' }, { purpose: '', channel: 'x', expiresInSec: 1, maxAttempts: 99 }),
    list({}, { items: [] }),
  ],
  'everything that may be said': [
    issue(
      magic(0),
      { attemptsRemaining: 10 },
      {
        ...{ purpose: ' p ', channel: 'sms', templateId: 'welcome', templateVariables: { name: 'Ada', note: 'hello' } },
        ...{
          from: '0212345678',
          messageType: 'LMS',
          smsFallback: true,
          webOtp: false,
          cost: 5,
          metadata: { user: '1' },
        },
        ...{ expiresInSec: 600, maxAttempts: 10, challenge: 'token' },
      },
    ),
    status({ purpose: 'p', templateId: 'welcome', maxAttempts: 10 }),
  ],
  templates: [
    issue(magic(0), {}, { templateId: 'otp_default_en' }),
    issue(magic(0), {}, { locale: 'en-GB', webOtp: false }),
    issue(magic(0), bad('invalid_format', 'locale'), { locale: 'english please' }),
    issue(magic(0), bad('unknown_template', 'templateId'), { templateId: 'imagined' }),
    issue(magic(0), bad('template_variable_required', 'templateVariables.name'), { templateId: 'welcome' }),
    issue(magic(0), bad('template_variable_mismatch', 'templateVariables.name'), {
      templateId: 'welcome',
      templateVariables: { name: 'ada' },
    }),
    issue(magic(0), bad('unknown_template_variable', 'templateVariables.x'), { templateVariables: { x: 'y' } }),
    issue(magic(0), bad('reserved_template_variable', 'templateVariables.code'), { templateVariables: { code: '1' } }),
    issue(magic(0), bad('channel_not_supported', 'templateId'), { templateId: 'welcome', channel: 'alimtalk' }),
    issue(magic(0), bad('message_too_long', 'messageType'), {
      ...{ templateId: 'welcome', messageType: 'SMS', templateVariables: { name: 'Ada', note: 'n'.repeat(90) } },
    }),
    issue(magic(0), bad('message_too_long', 'templateVariables'), {
      ...{ templateId: 'welcome', templateVariables: { name: 'Ada', note: 'n'.repeat(2_001) } },
    }),
    { call: 'listTemplates', input: {}, says: { defaultTemplateId: 'otp_default_kr' } },
    { call: 'getTemplate', input: { templateId: 'welcome' }, says: WELCOME },
    { call: 'getTemplate', input: { templateId: 'otp_default_kr' }, says: { templateId: 'otp_default_kr' } },
    { call: 'getTemplate', input: { templateId: 'imagined' }, says: { code: 'NOT_FOUND' } },
    { call: 'getTemplate', input: { templateId: '' }, says: bad('required', 'templateId') },
  ],
  'languages of a template': [
    issue(magic(0), {}, { templateId: 'greeting', messageType: 'SMS', idempotencyKey: KEPT }),
    // What is asked for in another language is the same.
    issue(magic(0), {}, { templateId: 'greeting', messageType: 'SMS', locale: 'fr', idempotencyKey: KEPT }),
    issue(magic(0), {}, { templateId: 'greeting', messageType: 'SMS', locale: 'de' }),
    issue(magic(0), bad('message_too_long', 'messageType'), {
      ...{ templateId: 'greeting', messageType: 'SMS', locale: 'fr-CA' },
    }),
    { call: 'getTemplate', input: { templateId: 'greeting' }, says: GREETING },
  ],
  'which refusal comes first': [
    issue(magic(6), bad('unknown_template'), { templateId: 'imagined' }),
    issue('010-1234-5678', bad('test_number_required'), { templateId: 'imagined' }),
    issue('010-1234-5678', bad('too_small', 'maxAttempts'), { maxAttempts: 0 }),
    refused({ phoneNumber: '010-1234-5678', purpose: 'p' }, bad('idempotency_key_required')),
  ],

  lists: [
    issue(magic(0)),
    pass(1_000),
    issue(magic(1), {}, { purpose: 'b' }),
    issue(magic(2), {}, { purpose: 'c', expiresInSec: 30 }),
    pass(1_000),
    issue(magic(0)),
    verify(RIGHT, { verified: true }, '$2'),
    pass(30_000),
    list({}, { items: [{}, { purpose: 'c' }, { purpose: 'b' }, {}] }),
    list({ limit: 3 }, { items: [{}, {}, {}], nextCursor: 'a cursor' }),
    list({ limit: 3, cursor: '$next' }, { items: [{}] }),
    list({ limit: 2, verificationStatus: 'issued' }, { items: [{}] }),
    list({ verificationStatus: 'expired' }, { items: [{ purpose: 'c' }] }),
    list({ verificationStatus: 'verified' }, { items: [{ purpose: 'b' }] }),
    list({ verificationStatus: 'replaced' }, { items: [{}] }),
    list({ verificationStatus: 'max_attempts' }, { items: [] }),
    list({ createdFrom: '2020-01-01T00:00:00Z', createdTo: '2020-01-02T00:00:00Z' }, { items: [] }),
    list(
      { createdFrom: '2020-01-02T00:00:00Z', createdTo: '2020-01-01T00:00:00Z' },
      bad('date_range_reversed', 'createdTo'),
    ),
    list({ limit: 0 }, bad('too_small', 'limit')),
    list({ limit: 101 }, bad('too_large', 'limit')),
    list({ cursor: 'imagined' }, bad('invalid_cursor', 'cursor')),
    list({ imagined: 1 }, bad('unknown_field', 'imagined')),
  ],
  'nothing is billed': [
    {
      call: 'balance',
      input: {},
      says: { balance: 1_000_000, walletScope: 'test', promoBalance: 0, promoNextExpiry: null },
    },
    issue(magic(0)),
    pass(5_000),
    { call: 'balance', input: {}, says: { balance: 1_000_000 } },
    { call: 'listCreditLedger', input: {}, says: { items: [] } },
    { call: 'listCreditLedger', input: { entryType: 'debit', limit: 5 }, says: { items: [] } },
    { call: 'listCreditLedger', input: { entryType: 'x' }, says: bad('not_a_choice', 'entryType') },
    { call: 'listCreditLedger', input: { cursor: 'imagined' }, says: bad('invalid_cursor', 'cursor') },
  ],

  'a key may issue, verify and read 120 times a minute each': [
    ...times(120, verify(RIGHT, { reasonCode: 'NOT_FOUND' }, 'nobody')),
    verify(
      RIGHT,
      { code: 'TOO_MANY_REQUESTS', data: { limit: 'perKey', policy: 'platform', retryAfterMs: 60_000 } },
      'nobody',
    ),
    pass(59_999),
    verify(RIGHT, { retryAfterMs: 1_000, data: { limit: 'perKey', policy: 'platform', retryAfterMs: 1 } }, 'nobody'),
    pass(1),
    verify(RIGHT, { reasonCode: 'NOT_FOUND' }, 'nobody'),
    // What was refused has used nothing up.
    ...times(130, verify('1', bad('code_not_six_digits'), 'nobody')),
    ...times(119, verify(RIGHT, { reasonCode: 'NOT_FOUND' }, 'nobody')),
    verify(RIGHT, { code: 'TOO_MANY_REQUESTS' }, 'nobody'),
    issue(magic(0), {}, { idempotencyKey: KEPT }),
    // A replay counts here.
    ...times(119, issue(magic(0), {}, { idempotencyKey: KEPT })),
    issue(magic(0), { code: 'TOO_MANY_REQUESTS', data: { limit: 'perKey' } }, { idempotencyKey: KEPT }),
    ...times(120, status({ deliveryStatus: 'queued' })),
    list({}, { code: 'TOO_MANY_REQUESTS', data: { limit: 'perKey' } }),
    { call: 'listTemplates', input: {}, says: {} },
  ],
  'a key may do so 5,000 times a day': [
    pass(10_000),
    ...times(41, pass(60_000)).flatMap((minute) => [...times(120, verify(RIGHT, {}, 'nobody')), minute]),
    ...times(80, verify(RIGHT, { reasonCode: 'NOT_FOUND' }, 'nobody')),
    verify(RIGHT, { code: 'TOO_MANY_REQUESTS', data: { limit: 'perKeyDaily', policy: 'platform' } }, 'nobody'),
  ],
  'a key may be refused 600 times a minute': [
    ...times(600, verify('1', bad('code_not_six_digits'), 'nobody')),
    verify('1', { code: 'TOO_MANY_REQUESTS', data: { limit: 'perKey' } }, 'nobody'),
    issue(magic(7), { code: 'TOO_MANY_REQUESTS' }),
    issue(magic(0), { mode: 'test' }),
  ],
}

describe('test mode in memory is test mode', () => {
  test.each(Object.entries(STORIES))('%s', async (_, story) => {
    const templates = [WELCOME, GREETING]
    const inMemory = await tell(story, sideInMemory(world, templates))
    const real = await tell(story, await realSide(world, templates))
    const expected = story.flatMap((line) => ('pass' in line ? [] : [line.says]))
    expect(inMemory.map(({ answered, refused }) => answered ?? refused)).toMatchObject(expected)
    expect(inMemory).toEqual(real)
  })
})

/** `WATCHWORD_STORIES=5000` tells more; `WATCHWORD_SEED=7` others. */
const RUNS = {
  numRuns: Number(process.env.WATCHWORD_STORIES ?? (isNightly ? 200 : 30)),
  seed: Number(process.env.WATCHWORD_SEED ?? 20_260_301),
}

const wishes = fc.record(
  {
    channel: fc.constantFrom('sms', 'alimtalk'),
    smsFallback: fc.boolean(),
    expiresInSec: fc.constantFrom(29, 30, 60, 180),
    maxAttempts: fc.constantFrom(1, 2, 5),
    templateId: fc.constantFrom('welcome', 'otp_default_en', 'imagined'),
  },
  { requiredKeys: [] },
)
const ordered = fc
  .record({
    phoneNumber: fc.constantFrom(...[0, 0, 0, 1, 2, 3, 4, 5, 6, 9, 10, 10].map(magic)),
    purpose: fc.constantFrom('signup', 'signup', 'login'),
    idempotencyKey: fc.constantFrom('one', 'two', 'three', 'four', 'five', 'six'),
    wishes,
  })
  .map(({ wishes, ...input }): Line => ({ call: 'issue', input: { ...input, ...wishes }, says: {} }))
const anIssue = fc.constantFrom('$1', '$1', '$2', '$3', '$4')
const typed = fc
  .tuple(fc.constantFrom(RIGHT, WRONG, WRONG), anIssue, fc.constantFrom(undefined, ...[0, 1, 10].map(magic)))
  .map(([code, issueId, phoneNumber]) =>
    phoneNumber ? claim(phoneNumber, {}, code, issueId) : verify(code, {}, issueId),
  )
const looked = fc.oneof(
  anIssue.map((issueId) => status({}, issueId)),
  anIssue.map((issueId): Line => ({ call: 'getIssue', input: { issueId }, says: {} })),
  fc
    .record(
      {
        limit: fc.integer({ min: 1, max: 3 }),
        cursor: fc.constant('$next'),
        verificationStatus: fc.constantFrom('issued', 'verified', 'expired', 'max_attempts', 'replaced'),
      },
      { requiredKeys: ['limit'] },
    )
    .map((input) => list(input, {})),
)
const waited = fc
  .oneof(fc.constantFrom(1, 499, 500, 999, 1_000, 2_000, 9_999, 10_000, 29_000, 30_000, 60_000), fc.nat(200_000))
  .map(pass)
const story = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: ordered },
    { weight: 3, arbitrary: typed },
    { weight: 3, arbitrary: looked },
    { weight: 2, arbitrary: waited },
  ),
  { minLength: 5, maxLength: 40 },
)

test('any other story, too', async () => {
  const property = fc.asyncProperty(story, async (lines) => {
    const told = [...lines, list({ limit: 100 }, {})]
    const inMemory = await tell(told, sideInMemory(world, [WELCOME]))
    expect(inMemory).toEqual(await tell(told, await realSide(world, [WELCOME])))
  })
  await fc.assert(property, RUNS)
})
