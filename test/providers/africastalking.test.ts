/** Against developers.africastalking.com/docs/sms: sending in bulk, its status codes, and notifications. */
import { describe, expect, test } from 'bun:test'
import { africastalking as description } from '../../src/providers/descriptions/africastalking'
import { checkCodes, checkSilence, checkToken, REPORT_SECRET, reported, TOKEN, vendorOf } from './described-vendor'
import { answered } from './fake-vendor-twilio-aligo'

const CONFIG = { username: 'shop', apiKey: 'atsk_0123456789', reportSecret: REPORT_SECRET }
const talking = vendorOf(description, CONFIG)
const ID = 'ATXid_3b534efa3ea126c4893d656d61c17e59'
const said = (statusCode: number, status = 'Success', messageId = ID) => ({
  SMSMessageData: {
    Message: 'Sent to 1/1 Total Cost: KES 0.8000',
    Recipients: [{ cost: 'KES 0.8000', messageId, messageParts: 1, number: '+821012345678', status, statusCode }],
  },
})

describe('sending', () => {
  test('is the documented request, byte for byte', async () => {
    expect(await talking.request({ to: '+254711082300', text: 'Hello, this is a test' })).toEqual({
      method: 'POST',
      url: 'https://api.africastalking.com/version1/messaging',
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        apiKey: 'atsk_0123456789',
      },
      body: 'username=shop&to=%2B254711082300&message=Hello%2C+this+is+a+test',
      timeoutMs: 4_000,
    })
    expect((await talking.request({ from: 'SHOP' })).body).toEndWith('&from=SHOP')
  })

  test.each([100, 101, 102])('%d is accepted with its ID', async (code) => {
    expect(await talking.outcome(answered(201, said(code)))).toEqual({ kind: 'accepted', carrierMessageId: ID })
  })

  test('taken without an ID, or with a code that is not documented, it may be out', async () => {
    const withoutId = { kind: 'ambiguous', code: 'HTTP_201_WITHOUT_ID' } as const
    expect(await talking.outcome(answered(201, said(101, 'Success', 'None')))).toEqual(withoutId)
    expect(await talking.outcome(answered(201, said(777)))).toEqual({ kind: 'ambiguous', code: '777' })
    const words = { SMSMessageData: { Message: 'Sent to 0/1 Total Cost: 0', Recipients: [] } }
    expect(await talking.outcome(answered(201, words))).toEqual({ kind: 'ambiguous', code: 'HTTP_201_UNREADABLE' })
  })

  checkSilence(talking)
  checkCodes(
    talking,
    {
      ambiguous: [401, 500, 501],
      stopped: [406],
      elsewhere: [402, 404, 407, 409, 502, 'InvalidSenderId'],
      never: [403],
      unfit: [405],
    },
    (code) =>
      typeof code === 'number'
        ? answered(201, said(code, 'Refused', 'None'))
        : answered(201, { SMSMessageData: { Message: code, Recipients: [] } }),
  )

  test('wrong credentials', async () => {
    const outcome = await talking.outcome(answered(401, 'The supplied authentication is invalid'))
    expect(outcome).toEqual({ kind: 'refused', retry: 'unfit', code: 'HTTP_401' })
  })
})

describe('reports', () => {
  const report = (status: string, failureReason = '') =>
    new URLSearchParams({
      id: ID,
      status,
      phoneNumber: '+254711082300',
      networkCode: '63902',
      retryCount: '0',
      ...(failureReason && { failureReason }),
    }).toString()

  checkToken(talking, report('Success'), reported(ID, 'delivered'))

  test.each([
    ['Success', '', reported(ID, 'delivered')],
    ['Failed', 'UserDoesNotExist', reported(ID, 'failed', 'UserDoesNotExist')],
    ['Rejected', 'UserInBlackList', reported(ID, 'failed', 'UserInBlackList')],
    ['Failed', '', reported(ID, 'failed', 'Failed')],
    ['AbsentSubscriber', '', reported(ID, 'failed', 'AbsentSubscriber')],
    ['Expired', '', reported(ID, 'failed', 'Expired')],
    ['Sent', '', []],
    ['Submitted', '', []],
    ['Buffered', '', []],
  ])('%s %s', (status, reason, expected) => {
    expect(talking.read(report(status, reason), {}, TOKEN)).toEqual(expected)
  })

  test.each(Object.keys(description.reasons ?? {}))('%s is explained', (code) => {
    expect(talking.type.explain(code, {})).not.toStartWith('see this')
  })
})
