/** Infobip's own SDK, which speaks version 2 of the SMS API. We speak version 3, which has other names for the same fields. */
import { expect, test } from 'bun:test'
import { AuthType, Infobip } from '@infobip-api/sdk'
import { infobip } from '../../../src/providers/descriptions/infobip'
import { REPORT_SECRET, REPORT_URL, vendorOf } from '../described-vendor'
import { answered, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const KEY = 'a-key-of-the-account'
const dlt = { entityId: '1201159123456789012', templateId: '1207161234567890123' }

test('a text is the same request', async () => {
  const status = { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED', description: 'Accepted' }
  const answer = { messages: [{ messageId: '2250be2d4219-3af1', status, to: TO.slice(1) }] }
  const { request: theirs, result } = await caught(answer, () =>
    new Infobip({ baseUrl: 'https://x1.api.infobip.com', apiKey: KEY, authType: AuthType.ApiKey }).channels.sms.send({
      messages: [
        {
          from: 'Acme',
          destinations: [{ to: TO.slice(1) }],
          text: TEXT,
          validityPeriod: 3,
          notifyUrl: `${REPORT_URL}?token=${REPORT_SECRET}`,
          regional: { indiaDlt: { contentTemplateId: dlt.templateId, principalEntityId: dlt.entityId } },
        },
      ],
    }),
  )
  const settings = { apiKey: KEY, from: 'Acme', reportSecret: REPORT_SECRET, apiBase: 'https://x1.api.infobip.com' }
  const carrier = vendorOf(infobip, settings)
  const sdks = meaningOf(theirs)
  // A validity was minutes, and is an amount with its unit.
  const [{ from, text, validityPeriod, notifyUrl, regional, ...others }] = sdks.body.messages
  const version3 = {
    sender: from,
    content: { text },
    options: { validityPeriod: { amount: validityPeriod * 60, timeUnit: 'SECONDS' }, regional },
    webhooks: { delivery: { url: notifyUrl } },
    ...others,
  }
  expect(sdks.path).toBe('/sms/2/text/advanced')
  expect(meaningOf(await carrier.request({ dlt }))).toEqual({
    ...sdks,
    path: '/sms/3/messages',
    body: { messages: [version3] },
  })
  const { messageId } = (result as { data: typeof answer }).data.messages[0] ?? {}
  expect(await carrier.outcome(answered(200, answer))).toMatchObject({
    kind: 'accepted',
    carrierMessageId: messageId ?? '',
  })
})
