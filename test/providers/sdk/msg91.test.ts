/** MSG91's own SDK. */
import { expect, test } from 'bun:test'
import sdk from 'msg91'
import { msg91 } from '../../../src/providers/descriptions/msg91'
import { REPORT_SECRET, vendorOf } from '../described-vendor'
import { answered, CODE, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const carrier = vendorOf(msg91, { authKey: 'auth-key-of-msg91', from: 'ACMEIN', reportSecret: REPORT_SECRET })

test('a text is the same request', async () => {
  const answer = { message: '3763646c3058373530393938', type: 'success' }
  sdk.initialize({ authKey: 'auth-key-of-msg91' })
  const { request: theirs, result } = await caught(answer, () =>
    sdk.getSMS().send('60a3c5e1d6fc0512345678ab', [{ mobiles: TO.slice(1), code: CODE, minutes: '3' }] as never, {
      senderId: 'ACMEIN',
      shortURL: false,
    }),
  )
  const message = { templateCode: '60a3c5e1d6fc0512345678ab', variables: { code: CODE, minutes: '3' } }
  expect(meaningOf(await carrier.request(message), 'authkey')).toEqual({
    ...meaningOf(theirs, 'authkey'),
    // control.msg91.com/apidoc and api.msg91.com/apidoc document the same call, each with its own host.
    origin: 'https://control.msg91.com',
    // The library says where it was called from.
    query: {},
    // It sends JSON, and calls it a form.
    type: 'application/json',
  })
  expect(await carrier.outcome(answered(200, answer), message)).toEqual({
    kind: 'accepted',
    carrierMessageId: (result as { message: string }).message,
  })
})
