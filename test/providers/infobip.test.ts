/** Against infobip.com/docs: SMS API v3, response status and error codes, delivery reports. */
import { describe, expect, test } from 'bun:test'
import { infobip as description } from '../../src/providers/descriptions/infobip'
import {
  checkCodes,
  checkSilence,
  checkToken,
  REPORT_SECRET,
  REPORT_URL,
  reported,
  TOKEN,
  vendorOf,
} from './described-vendor'
import { anAwaited, answered } from './fake-vendor-twilio-aligo'

const HOST = 'https://xyz123.api.infobip.com'
const CONFIG = { apiKey: 'key-of-the-account', from: 'InfoSMS', apiBase: HOST, reportSecret: REPORT_SECRET }
const infobip = vendorOf(description, CONFIG)
const ID = '4823051030417951492201'
const status = (name: string, groupName: string) => ({
  groupId: 1,
  groupName,
  id: 26,
  name,
  description: 'of 821012345678',
})
const said = (name: string, groupName = 'REJECTED') =>
  answered(200, { messages: [{ messageId: ID, status: status(name, groupName), destination: '821012345678' }] })

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await infobip.request({ to: '+41793026727', text: 'This is a sample message' })).toEqual({
      method: 'POST',
      url: `${HOST}/sms/3/messages`,
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: 'App key-of-the-account',
      },
      body:
        '{"messages":[{"sender":"InfoSMS","destinations":[{"to":"41793026727"}],"content":{"text":"This is a sample message"},' +
        '"options":{"validityPeriod":{"amount":180,"timeUnit":"SECONDS"}},' +
        `"webhooks":{"delivery":{"url":"${REPORT_URL}?token=${REPORT_SECRET}"}}}]}`,
      timeoutMs: 4_000,
    })
    expect((await infobip.request({}, { reportUrl: undefined })).body).not.toContain('webhooks')
  })

  test('has the DLT ids of a template', async () => {
    const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }
    const { body } = await infobip.request({ to: '+919812345678', dlt })
    expect(JSON.parse(body ?? '').messages[0].options.regional).toEqual({
      indiaDlt: { contentTemplateId: dlt.templateId, principalEntityId: dlt.entityId },
    })
  })

  test('is accepted with its ID', async () => {
    const accepted = { kind: 'accepted', carrierMessageId: ID } as const
    expect(await infobip.outcome(said('PENDING_ACCEPTED', 'PENDING'))).toMatchObject(accepted)
    expect(await infobip.outcome(said('PENDING_ENROUTE', 'PENDING'))).toMatchObject(accepted)
    expect(await infobip.outcome(said('SOMETHING_ELSE', 'NEW'))).toEqual({ kind: 'ambiguous', code: 'SOMETHING_ELSE' })
    expect(await infobip.outcome(said('REJECTED_SOMEHOW'))).toMatchObject({ kind: 'refused', retry: 'elsewhere' })
  })

  checkSilence(infobip)
  checkCodes(
    infobip,
    {
      stopped: ['REJECTED_DESTINATION_BLOCKLISTED'],
      later: ['REJECTED_SYSTEM_ERROR'],
      unfit: ['REJECTED_NOT_ENOUGH_CREDITS', 'REJECTED_PREPAID_PACKAGE_EXPIRED', 'UNAUTHORIZED'],
      never: ['REJECTED_MESSAGE_TOO_LONG', 'MISSING_TO'],
      ambiguous: ['REJECTED_DUPLICATE_MESSAGE_ID'],
      elsewhere: [
        ...['UNDELIVERABLE_REJECTED_OPERATOR', 'UNDELIVERABLE_NOT_DELIVERED', 'UNDELIVERABLE_REJECTED_PLATFORM'],
        ...['REJECTED_NETWORK', 'REJECTED_PREFIX_MISSING', 'REJECTED_DND', 'REJECTED_SOURCE', 'REJECTED_SENDER'],
        ...['REJECTED_DESTINATION_NOT_REGISTERED', 'REJECTED_ROUTE_NOT_AVAILABLE'],
        ...['REJECTED_FLOODING_FILTER', 'REJECTED_DESTINATION', 'SIGNALS_BLOCKED'],
      ],
    },
    (code) =>
      code === 'UNAUTHORIZED'
        ? answered(401, { requestError: { serviceException: { messageId: code, text: 'Invalid login details' } } })
        : said(String(code)),
  )
})

describe('what became of it', () => {
  const result = (name: string, groupName: string, error = 'NO_ERROR') => ({
    results: [
      {
        bulkId: 'BULK-ID-123-xyz',
        messageId: ID,
        to: '41793026727',
        sentAt: '2019-11-09T16:00:00.000+0100',
        status: status(name, groupName),
        error: { groupId: 0, groupName: 'Ok', id: 0, name: error, permanent: false },
      },
    ],
  })

  checkToken(infobip, result('DELIVERED_TO_HANDSET', 'DELIVERED'), reported(ID, 'delivered', 'DELIVERED_TO_HANDSET'))

  test.each([
    ['UNDELIVERABLE_NOT_DELIVERED', 'UNDELIVERABLE', 'EC_UNKNOWN_SUBSCRIBER', 'EC_UNKNOWN_SUBSCRIBER'],
    ['EXPIRED_EXPIRED', 'EXPIRED', 'EC_ABSENT_SUBSCRIBER', 'EC_ABSENT_SUBSCRIBER'],
    ['REJECTED_NETWORK', 'REJECTED', 'NO_ERROR', 'REJECTED_NETWORK'],
    ['DELIVERED_TO_OPERATOR', 'DELIVERED', 'NO_ERROR', undefined],
    ['EXPIRED_DLR_UNKNOWN', 'EXPIRED', 'NO_ERROR', undefined],
    ['PENDING_ENROUTE', 'PENDING', 'NO_ERROR', undefined],
  ])('%s %s %s', async (name, group, error, code) => {
    const body = result(name, group, error)
    expect(infobip.read(body, {}, TOKEN)).toEqual(code === undefined ? [] : reported(ID, 'failed', code))
    const { vendor, provider } = infobip.connected()
    vendor.answer = answered(200, body)
    const fate = code === undefined ? { askAgainMs: 5_000 } : { status: 'failed', code }
    expect(await provider.query?.(anAwaited({ carrierMessageId: ID }))).toEqual(fate as never)
    expect(vendor.only().url).toBe(`${HOST}/sms/3/logs?messageId=${ID}`)
  })

  test.each(Object.keys(description.reasons ?? {}))('%s is explained', (code) => {
    expect(infobip.type.explain(code, {})).not.toStartWith('see this name')
  })
})

test('settings: the host is the own one', () => {
  expect(infobip.type.config.safeParse(CONFIG).success).toBe(true)
  expect(infobip.type.config.safeParse({ ...CONFIG, apiBase: undefined }).success).toBe(false)
})
