/** Against the One API of Clickatell: send messages, errors table, message status table. */
import { describe, expect, test } from 'bun:test'
import { clickatell as description } from '../../src/providers/descriptions/clickatell'
import { checkCodes, checkSilence, checkToken, REPORT_SECRET, reported, TOKEN, vendorOf } from './described-vendor'
import { answered } from './fake-vendor-twilio-aligo'

const clickatell = vendorOf(description, { apiKey: 'mc2-integration-api-key==', reportSecret: REPORT_SECRET })
const ID = '77fb29998253415fa5d66971d519d362'
const OURS = '019ca91c-4e00-7000-8000-0000000000aa'

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await clickatell.request({ to: '+2799900001', text: 'Here is my message' })).toEqual({
      method: 'POST',
      url: 'https://platform.clickatell.com/v1/message',
      headers: {
        accept: 'application/json',
        'content-type': 'application/json',
        authorization: 'mc2-integration-api-key==',
      },
      body: `{"messages":[{"channel":"sms","to":"2799900001","content":"Here is my message","clientMessageId":"${OURS}"}]}`,
      timeoutMs: 4_000,
    })
    expect((await clickatell.request({ from: '12027530410' })).body).toContain('"from":"12027530410"')
  })

  test('is accepted with its ID', async () => {
    const body = { messages: [{ apiMessageId: ID, accepted: true, to: '2799900001', error: null }], error: null }
    expect(await clickatell.outcome(answered(202, body))).toEqual({ kind: 'accepted', carrierMessageId: ID })
    const refused = { messages: [{ apiMessageId: null, accepted: false, to: '2799900001', error: null }], error: null }
    expect(await clickatell.outcome(answered(207, refused))).toMatchObject({ kind: 'ambiguous' })
  })

  checkSilence(clickatell)
  // The documentation says where errors are, of the request or of the message, but not by what name: both are read.
  const understood = {
    unfit: [1, 2, 3, 7, 20, 38, 39, 46],
    ambiguous: [18, 19],
    elsewhere: [21, 23, 27, 28, 41, 44, 45, 101, 110, 111],
    never: [24, 25, 100],
    stopped: [26],
    later: [43],
  }
  checkCodes(clickatell, understood, (code) =>
    answered(400, {
      messages: [{ apiMessageId: null, accepted: false, to: '821012345678', error: { code, description: 'x' } }],
      error: null,
    }),
  )
  test.each([{ code: 1, description: 'Invalid or missing integration API Key' }, 1, '1'])(
    'of the request: %j',
    async (error) => {
      const outcome = await clickatell.outcome(answered(401, { messages: [], error }))
      expect(outcome).toEqual({ kind: 'refused', retry: 'unfit', code: '1' })
    },
  )
})

describe('reports', () => {
  const report = (status: string, statusCode: number) => ({
    integrationId: 'fd496adebb6e422587368077937cfb5d',
    integrationName: 'otp',
    event: {
      messageStatusUpdate: [
        { channel: 'sms', timestamp: 1_772_366_400, statusCode, status, messageId: ID, clientMessageId: OURS },
      ],
    },
  })
  const more = { carrierMessageId: ID }

  checkToken(clickatell, report('DEVICE_ACK', 5), reported(OURS, 'delivered', 'DEVICE_ACK', more))

  test.each([
    ['READ', 6, reported(OURS, 'delivered', 'READ', more)],
    ...Object.keys(description.reasons ?? {}).map(
      (status, index) => [status, 20 + index, reported(OURS, 'failed', status, more)] as const,
    ),
    ['UNKNOWN', 1, []],
    ['QUEUED', 2, []],
    ['SENT_TO_SUPPLIER', 4, []],
  ] as const)('%s', (status, code, expected) => {
    expect(clickatell.read(report(status, code), {}, TOKEN)).toEqual([...expected])
  })

  test('other events say nothing', () => {
    expect(clickatell.read({ integrationId: 'x', event: { moText: [{ content: 'STOP' }] } }, {}, TOKEN)).toEqual([])
  })
})
