/** CM.com's own SDK: @cmdotcom/text-sdk. */
import { expect, test } from 'bun:test'
import { MessageApiClient } from '@cmdotcom/text-sdk'
import { cm } from '../../../src/providers/descriptions/cm'
import { REPORT_SECRET, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const carrier = vendorOf(cm, { productToken: 'token-of-the-gateway', from: 'Acme', reportSecret: REPORT_SECRET })

test('a text is the same request', async () => {
  const reference = '019ca91c4e00700080000000000000aa'
  const answer = {
    details: 'Created 1 message(s)',
    errorCode: 0,
    messages: [{ to: `00${TO.slice(1)}`, status: 'Accepted', reference, parts: 1, messageErrorCode: 0 }],
  }
  const { request: theirs, result } = await caught(answer, () => {
    const message = new MessageApiClient('token-of-the-gateway')
      .createMessage()
      .setMessage([`00${TO.slice(1)}`], 'Acme', TEXT, reference)
      .setAllowedChannels(['SMS'] as never)
    Object.assign(message.messages?.msg?.[0] ?? {}, { minimumNumberOfMessageParts: 1, maximumNumberOfMessageParts: 8 })
    return message.send()
  })
  const sdks = meaningOf(theirs)
  const { authentication, msg } = sdks.body.messages
  const { customGrouping3: _, body, ...others } = msg[0]
  expect(meaningOf(await carrier.request())).toEqual({
    ...sdks,
    // The SDK has the gateway's former name.
    origin: 'https://gw.messaging.cm.com',
    body: {
      messages: {
        // The documentation writes both in lower case.
        authentication: { producttoken: authentication.productToken },
        msg: [{ ...others, body: { ...body, type: body.type.toLowerCase() } }],
      },
    },
  })
  expect(theirs.url).toBe('https://gw.cmtelecom.com/v1.0/message')
  expect(await carrier.outcome(answered(200, answer))).toEqual({
    kind: 'accepted',
    carrierMessageId: (result as unknown as { data: typeof answer }).data.messages[0]?.reference ?? '',
  })
})
