/** Against developers.cm.com/messaging: the JSON gateway, its answers and errors, and incoming status reports. */
import { describe, expect, test } from 'bun:test'
import { cm as description } from '../../src/providers/descriptions/cm'
import { checkCodes, checkSilence, checkToken, REPORT_SECRET, reported, TOKEN, vendorOf } from './described-vendor'
import { answered } from './fake-vendor-twilio-aligo'

const CONFIG = {
  productToken: '00000000-0000-0000-0000-000000000000',
  from: 'SenderName',
  reportSecret: REPORT_SECRET,
}
const cm = vendorOf(description, CONFIG)
const REFERENCE = '019ca91c4e00700080000000000000aa'
const said = (status: string, messageErrorCode: number, more: object = {}) => ({
  details: 'Created 1 message(s)',
  errorCode: status === 'Accepted' ? 0 : 201,
  messages: [
    { to: '00447911123456', status, reference: REFERENCE, parts: 1, messageDetails: null, messageErrorCode, ...more },
  ],
})

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await cm.request({ to: '+447911123456', text: 'Test message' })).toEqual({
      method: 'POST',
      url: 'https://gw.messaging.cm.com/v1.0/message',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body:
        '{"messages":{"authentication":{"producttoken":"00000000-0000-0000-0000-000000000000"},"msg":[{"from":"SenderName",' +
        '"to":[{"number":"00447911123456"}],"body":{"type":"auto","content":"Test message"},"minimumNumberOfMessageParts":1,' +
        `"maximumNumberOfMessageParts":8,"reference":"${REFERENCE}","allowedChannels":["SMS"]}]}}`,
      timeoutMs: 4_000,
    })
    expect(REFERENCE).toHaveLength(32)
  })

  test('is accepted with its reference', async () => {
    const accepted = { kind: 'accepted', carrierMessageId: REFERENCE } as const
    expect(await cm.outcome(answered(200, said('Accepted', 0)))).toEqual(accepted)
    expect(await cm.outcome(answered(200, said('Queued', 0)))).toEqual({ kind: 'ambiguous', code: '201' })
  })

  checkSilence(cm)
  checkCodes(
    cm,
    {
      unfit: [101, 102, 103],
      elsewhere: [202, 203, 301, 305, 401, 402, 403],
      never: [302, 303, 304],
      ambiguous: [201, 500, 999],
    },
    (code) =>
      Number(code) < 300
        ? answered(400, { details: 'No account found for 00821012345678', errorCode: code, messages: [] })
        : answered(400, said('Rejected', Number(code), { messageDetails: "Gsm '00821012345678' is not a number." })),
  )
})

describe('reports', () => {
  const report = (code: string, errorCode = '') => ({
    messages: {
      msg: {
        received: '2026-03-01T12:00:00',
        to: '00447911123456',
        reference: REFERENCE,
        status: { code, errorCode, errorDescription: 'of 00447911123456' },
        operator: '20416',
      },
    },
  })

  checkToken(cm, report('2'), reported(REFERENCE, 'delivered'))

  test.each([
    ['0', '', []],
    ['1', '', reported(REFERENCE, 'failed', 'STATUS_1')],
    ['2', '', reported(REFERENCE, 'delivered')],
    ['3', '8', reported(REFERENCE, 'failed', 'DLR_8')],
    ['4', '', reported(REFERENCE, 'delivered')],
    ['9', '', []],
  ])('status %s %s', (code, error, expected) => {
    expect(cm.read(report(code, error), {}, TOKEN)).toEqual(expected)
    expect(cm.read(report(code, error).messages.msg, {}, TOKEN)).toEqual([])
  })

  test.each(['DLR_8', 'STATUS_1', 'STATUS_3'])('%s is explained', (code) => {
    expect(cm.type.explain(code, {})).toMatch(/\w{3}/)
  })
})
