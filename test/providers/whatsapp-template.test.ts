/** The authentication template at Meta, held against its documentation. */
import { expect, test } from 'bun:test'
import type { TemplateRequest } from '../../src/ports/carrier'
import type { TransportResult } from '../../src/ports/network'
import { createTemplate } from '../../src/providers/whatsapp-template'
import { errorOf } from '../support/error-of'
import { answered, FakeVendor, type VendorRequest } from './fake-vendor-twilio-aligo'

const CONFIG = {
  apiBase: 'https://graph.facebook.com/v22.0/',
  businessAccountId: '102290129340398',
  accessToken: 'EAAJ-access-token',
  template: 'otp_code',
}
const WANTED: TemplateRequest = { languages: ['ko'], minutes: 5, androidApps: [] }
const listed = (...data: object[]) => answered(200, { data, paging: {} })

/** Meta, answering a creation and the question that follows. */
class Meta extends FakeVendor {
  constructor(
    private readonly created: TransportResult,
    private readonly states: TransportResult,
  ) {
    super()
  }

  override async request(request: VendorRequest): Promise<TransportResult> {
    this.requests.push(request)
    return request.method === 'POST' ? this.created : this.states
  }
}

test('is created with a button that copies the code, and asked for', async () => {
  const pending = { name: 'otp_code', language: 'ko', status: 'PENDING', rejected_reason: 'NONE', id: '1' }
  const other = { ...pending, name: 'otp_code_2', status: 'APPROVED' }
  const meta = new Meta(
    answered(200, { id: '1', status: 'PENDING', category: 'AUTHENTICATION' }),
    listed(pending, other),
  )
  expect(await createTemplate(meta, CONFIG, WANTED)).toEqual([{ language: 'ko', status: 'PENDING' }])
  const [creation, question] = meta.requests
  expect(creation?.url).toBe('https://graph.facebook.com/v22.0/102290129340398/message_templates')
  expect(creation?.headers.authorization).toBe('Bearer EAAJ-access-token')
  expect(JSON.parse(creation?.body ?? '')).toEqual({
    name: 'otp_code',
    language: 'ko',
    category: 'authentication',
    message_send_ttl_seconds: 300,
    components: [
      { type: 'body', add_security_recommendation: true },
      { type: 'footer', code_expiration_minutes: 5 },
      { type: 'buttons', buttons: [{ type: 'otp', otp_type: 'copy_code' }] },
    ],
  })
  expect(question?.method).toBe('GET')
  expect(question?.url).toStartWith('https://graph.facebook.com/v22.0/102290129340398/message_templates?name=otp_code&')
})

test('Android fills the code into apps that are named', async () => {
  const meta = new Meta(answered(200, { id: '1' }), listed())
  const androidApps = [{ packageName: 'com.acme.app', signatureHash: 'K8a/AINcGX7' }]
  await createTemplate(meta, CONFIG, { ...WANTED, androidApps, minutes: 20 })
  const { components, message_send_ttl_seconds } = JSON.parse(meta.requests[0]?.body ?? '')
  expect(message_send_ttl_seconds).toBe(900)
  expect(components[2].buttons).toEqual([
    {
      type: 'otp',
      otp_type: 'one_tap',
      supported_apps: [{ package_name: 'com.acme.app', signature_hash: 'K8a/AINcGX7' }],
    },
  ])
})

test('without languages it is only asked for', async () => {
  const rejected = { name: 'otp_code', language: 'en_US', status: 'REJECTED', rejected_reason: 'INVALID_FORMAT' }
  const meta = new Meta(answered(500, ''), listed(rejected))
  expect(await createTemplate(meta, CONFIG, { ...WANTED, languages: [] })).toEqual([
    { language: 'en_US', status: 'REJECTED', reason: 'INVALID_FORMAT' },
  ])
  expect(meta.requests).toHaveLength(1)
})

test('a refusal says why, unless the language is there already', async () => {
  const refusal = answered(400, {
    error: { message: 'Invalid parameter', error_user_msg: 'exists already', code: 100 },
  })
  expect(await createTemplate(new Meta(refusal, listed()), CONFIG, WANTED)).toEqual([
    { language: 'ko', status: 'REFUSED', reason: 'exists already' },
  ])
  const there = { name: 'otp_code', language: 'ko', status: 'APPROVED' }
  expect(await createTemplate(new Meta(refusal, listed(there)), CONFIG, WANTED)).toEqual([
    { language: 'ko', status: 'APPROVED' },
  ])
})

test.each([
  ['no account', {}, WANTED, new Meta(listed(), listed()), 'businessAccountId'],
  ['no language', CONFIG, { ...WANTED, languages: ['en-US'] }, new Meta(listed(), listed()), 'language code'],
  ['no answer', CONFIG, WANTED, new FakeVendor(), 'cannot be reached'],
  ['a proxy', CONFIG, WANTED, new Meta(answered(502, '<html>'), listed()), 'status 502'],
] as const)('%s is said in words', async (_, config, wanted, meta, says) => {
  expect((await errorOf(createTemplate(meta, config, wanted))).message).toContain(says)
})
