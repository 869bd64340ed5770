import { describe, expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import { kaleyra } from '../../src/providers/descriptions/kaleyra'
import { anOutbound, answered, CODE, connect, TEXT, TO } from './fake-vendor-twilio-aligo'
import { outcomesOf, REPORT_SECRET, reportsOf, testsAnswers } from './vendor-answers'

const config = { sid: 'HXIN1700000071US', apiKey: 'Ac4XXXXX21fEXAMPLE', from: 'KLRHXA', reportSecret: REPORT_SECRET }
const vendorUnderTest = { file: kaleyra, config }
const type = describedType(kaleyra)
const MESSAGE_ID = 'ee8a0000-aaaa-4bbb-8ccc-9b7170000030:1'

describe('what is sent', () => {
  test("Kaleyra's example: one form with the API key in a header", async () => {
    const { vendor, provider } = connect(type, config)
    await provider.send(anOutbound({ to: '+12065550100', text: 'Hello! This is my first SMS.' }))
    expect(vendor.requests).toEqual([
      {
        method: 'POST',
        url: 'https://api.kaleyra.io/v1/HXIN1700000071US/messages',
        headers: {
          accept: 'application/json',
          'content-type': 'application/x-www-form-urlencoded',
          'api-key': config.apiKey,
        },
        body:
          'to=%2B12065550100&sender=KLRHXA&type=OTP&body=Hello%21+This+is+my+first+SMS.' +
          '&ref=019ca91c-4e00-7000-8000-0000000000aa',
        timeoutMs: 4_000,
      },
    ])
  })

  test('a DLT template and a callback profile', async () => {
    const { vendor, provider } = connect(type, { ...config, callbackProfileId: 'IN_09b3dfa7' })
    await provider.send(anOutbound({ templateCode: '1007482403267557324' }))
    expect(vendor.only().form).toMatchObject({
      template_id: '1007482403267557324',
      callback_profile_id: 'IN_09b3dfa7',
    })
    await provider.send(anOutbound({ templateCode: '1007482403267557324', dlt: { templateId: '1207161234567890123' } }))
    expect(new URLSearchParams(vendor.requests[1]?.body).get('template_id')).toBe('1207161234567890123')
  })
})

describe('answers', () => {
  const none = { unfit: [], elsewhere: [], never: [], later: [], ambiguous: [] }
  testsAnswers(vendorUnderTest, none, (code) => answered(400, { error: code }), ['OPT-OUT'])

  test('202 with the ID of the message is accepted', async () => {
    const taken = { id: 'ee8a0000', totalCount: 1, data: [{ message_id: MESSAGE_ID, recipient: TO }], error: {} }
    expect(await outcomesOf(vendorUnderTest)(answered(202, taken))).toEqual({
      kind: 'accepted',
      carrierMessageId: MESSAGE_ID,
    })
  })

  test.each([
    [202, { data: [], error: { error: TEXT } }, { kind: 'ambiguous', code: 'HTTP_202_WITHOUT_ID' }],
    [400, { error: 'Bad Request', message: TEXT }, { kind: 'refused', retry: 'elsewhere', code: 'HTTP_400' }],
    [401, { error: 'Unauthorized' }, { kind: 'refused', retry: 'unfit', code: 'HTTP_401' }],
    [403, '', { kind: 'refused', retry: 'elsewhere', code: 'HTTP_403' }],
    [404, '', { kind: 'refused', retry: 'elsewhere', code: 'HTTP_404' }],
  ] as const)('HTTP %d %j', async (status, body, expected) => {
    expect(await outcomesOf(vendorUnderTest)(answered(status, body))).toEqual(expected)
  })
})

describe('reports', () => {
  const read = reportsOf(vendorUnderTest)
  const json = (status: string, code = '') => JSON.stringify({ id: MESSAGE_ID, status, code })

  test.each([
    ['Delivered', '', { status: 'delivered' }],
    ['DELIVRD', '', { status: 'delivered' }],
    ['Failed', 'INVALID-SUB', { status: 'failed', code: 'INVALID-SUB' }],
    ['Undelivered', 'MOB-OFF', { status: 'failed', code: 'MOB-OFF' }],
    ['Failed', 'OPT-OUT', { status: 'failed', code: 'OPT-OUT', absence: 'stopped' }],
    ['NOT-SENT', 'NO-CREDITS', { status: 'failed', code: 'NO-CREDITS' }],
    ['EXPIRED', '', { status: 'failed', code: 'EXPIRED' }],
    ['Failed', CODE, { status: 'failed', code: 'FAILED' }],
  ])('%s %s', (status, code, expected) => {
    expect(read(json(status, code))).toEqual([{ messageId: MESSAGE_ID, ...expected } as never])
    if ('code' in expected) expect(type.explain(expected.code ?? '', config)).toMatch(/\w{3}/)
  })

  test.each(['Sent', 'SUBMITTED', 'ENROUTE', 'SENT - NO DLR'])('%s decides nothing', (status) => {
    expect(read(json(status))).toEqual([])
  })

  test('also by the query of a GET, and never without the secret', () => {
    const { provider } = connect(type, config)
    const url = `https://otp.example.com/provider-reports/carrier?token=${REPORT_SECRET}&id=${MESSAGE_ID}&status=DELIVRD`
    const callback = { url, headers: new Headers(), query: new URL(url).searchParams, text: '' }
    expect(provider.readReports?.(callback)).toEqual([{ messageId: MESSAGE_ID, status: 'delivered' }])
    expect(read(json('DELIVRD'), 'another-secret-of-16')).toBeUndefined()
  })
})

test.each(Object.keys(kaleyra.reasons ?? {}))('the trace code %s is explained', (code) => {
  expect(type.explain(code, config)).toMatch(/\w{3}/)
})

test('the settings are checked', () => {
  expect(type.config.safeParse(config).success).toBe(true)
  for (const wrong of [{ sid: '../x' }, { from: undefined }, { apiKey: '' }])
    expect(type.config.safeParse({ ...config, ...wrong }).success).toBe(false)
})
