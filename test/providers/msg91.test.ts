import { describe, expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import { msg91 } from '../../src/providers/descriptions/msg91'
import { anOutbound, answered, CODE, connect, TEXT } from './fake-vendor-twilio-aligo'
import { outcomesOf, REPORT_SECRET, reportsOf, testsAnswers } from './vendor-answers'

const config = { authKey: '416091ALVB8qpTEXAMPLEKEY', from: 'ACMEIN', reportSecret: REPORT_SECRET }
const message = { templateCode: '65e06f45d6fc05278c7d47e2', variables: { code: CODE } }
const vendorUnderTest = { file: msg91, config, message }
const type = describedType(msg91)
const REQUEST_ID = '5762846b4f8d285d378b4567'

const errorOf = (code: string) => answered(200, { message: TEXT, type: 'error', code })

describe('what is sent', () => {
  test("MSG91's example: one JSON request with the auth key in a header", async () => {
    const { vendor, provider } = connect(type, config)
    await provider.send(
      anOutbound({ to: '+919812345678', templateCode: 'EnterflowID', variables: { VAR1: 'VALUE 1', code: '1234' } }),
    )
    expect(vendor.requests).toEqual([
      {
        method: 'POST',
        url: 'https://control.msg91.com/api/v5/flow/',
        headers: {
          accept: 'application/json',
          'content-type': 'application/json',
          authkey: config.authKey,
        },
        body:
          '{"flow_id":"EnterflowID","sender":"ACMEIN","short_url":"0",' +
          '"recipients":[{"mobiles":"919812345678","VAR1":"VALUE 1","code":"1234"}]}',
        timeoutMs: 4_000,
      },
    ])
  })

  test('a template without a code is refused before anything is sent', async () => {
    const { vendor, provider } = connect(type, config)
    expect(await provider.send(anOutbound())).toMatchObject({ retry: 'elsewhere', code: 'TEMPLATE_CODE_MISSING' })
    expect(vendor.requests).toEqual([])
  })
})

describe('answers', () => {
  testsAnswers(
    vendorUnderTest,
    {
      unfit: ['105', '106', '207', '208', '301', '302', '303', '418'],
      elsewhere: ['102', '103', '107', '203', '306', '307', '308', '309', '310'],
      never: ['101', '202'],
      later: [],
      ambiguous: ['311'],
    },
    errorOf,
    ['TEMPLATE_CODE_MISSING'],
  )

  test('success with a request ID is accepted', async () => {
    expect(await outcomesOf(vendorUnderTest)(answered(200, { message: REQUEST_ID, type: 'success' }))).toEqual({
      kind: 'accepted',
      carrierMessageId: REQUEST_ID,
    })
  })

  test.each([
    [200, { message: 'flow_id missing', type: 'error' }, { kind: 'refused', retry: 'elsewhere', code: 'error' }],
    [200, { message: TEXT, type: 'error', code: '999' }, { kind: 'ambiguous', code: '999' }],
    [401, { message: 'Unauthorized', apiError: '418' }, { kind: 'refused', retry: 'unfit', code: '418' }],
    [500, { message: TEXT, type: 'error' }, { kind: 'ambiguous', code: 'error' }],
    [200, { message: TEXT, type: 'success' }, { kind: 'ambiguous', code: 'HTTP_200_WITHOUT_ID' }],
    [200, { message: TEXT, type: TEXT }, { kind: 'ambiguous', code: 'HTTP_200_UNREADABLE' }],
  ] as const)('HTTP %d %j', async (status, body, expected) => {
    expect(await outcomesOf(vendorUnderTest)(answered(status, body))).toEqual(expected)
  })
})

describe('reports', () => {
  const read = reportsOf(vendorUnderTest)
  /** As MSG91 shows version 3 of its webhook. */
  const report = (status: string, desc: string) =>
    JSON.stringify({
      date: '2024-05-22 09:58:16',
      number: '919512346558',
      senderId: 'uXXXXm',
      amount: '0.01',
      requestId: REQUEST_ID,
      INMSID: '0',
      CRQID: '0',
      credit: '1',
      userId: '27XXXX',
      campaignName: 'Sendhttp',
      status,
      desc,
    })

  test.each(['2', '9', '16', '17', '25'])('status %s: failed', (status) => {
    const code = `STATUS_${status}`
    expect(read(report(status, TEXT))).toEqual([{ messageId: REQUEST_ID, status: 'failed', code }])
    expect(type.explain(code, config)).toMatch(/\w{3}/)
  })

  test('delivered, undecided, and without the secret', () => {
    expect(read(report('1', 'DELIVERED'))).toEqual([{ messageId: REQUEST_ID, status: 'delivered' }])
    expect(read(report('26', 'SOMETHING'))).toEqual([])
    expect(read(report('1', 'DELIVERED'), 'another-secret-of-16')).toBeUndefined()
  })
})

test('the settings are checked', () => {
  expect(type.config.safeParse(config).success).toBe(true)
  expect(type.config.safeParse({ ...config, authKey: '' }).success).toBe(false)
})
