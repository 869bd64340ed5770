/** The door of clients of Twilio Verify: forms, paths and credentials that are not theirs. */
import { accountSid, serviceSid } from '../../src/http/compat/twilio-answer'
import type { SeededRandom } from '../support/random'
import { request, type Shot, type Subject } from './shot'
import { PURPOSE, type Target } from './target'
import { LONG, TEXTS } from './values'

const NUMBERS = ['+821023456789', '+14155552671', '+', '+0', '+999999999999999', '\u{ff0b}\u{ff18}\u{ff12}', '+82 10']
/** No magic number: a code for it may be made and checked. */
const VALUES = TEXTS.filter((text) => text !== '+1 415 555 0100')
const PARAMETERS = [
  ...['To', 'Channel', 'Code', 'VerificationSid', 'Status', 'Locale', 'DeviceIp', 'RateLimits'],
  ...['CustomCode', 'Amount', 'Tags', '__proto__', 'to'],
]
const CHANNELS = ['sms', 'call', 'whatsapp', 'auto', 'email', 'SMS', 'constructor']
const IDS = [
  `VE${'0'.repeat(32)}`,
  `VE${'f'.repeat(32)}`,
  'VE',
  '%2B821023456789',
  '+1',
  '%',
  '%ff',
  '%00',
  'a'.repeat(3_000),
]

const BODIES = [
  ...['', '&', '=', '%', '%zz=1', 'To', '{}', '\0', 'To=%ff&Channel=sms', 'To=+1&To=+1&Channel=sms'],
  ...['a&'.repeat(LONG / 2), `To=${'9'.repeat(LONG)}`, `RateLimits=${'['.repeat(8_000)}`, '%2B'.repeat(5_000)],
]

function form(random: SeededRandom): string {
  const fields = new URLSearchParams({ To: random.pick(NUMBERS), Channel: random.pick(CHANNELS), Code: '123456' })
  for (let n = random.below(4); n > 0; n--) fields.set(random.pick(PARAMETERS), random.pick(VALUES))
  return fields.toString()
}

function authorizations(random: SeededRandom, { appId, keys }: Target): string[] {
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const own = [keys.live, keys.test].map((key) => basic(`${accountSid(appId)}:${key}`))
  const others = [basic(random.pick(TEXTS)), basic(`:${keys.live}`), basic(':'.repeat(4_000)), 'Basic', 'Basic ====']
  return [...own, ...own, ...own, basic(`${accountSid(appId)}:${keys.browser}`), ...others]
}

export const twilio: Subject = {
  name: 'twilio',
  shots: (random, target) =>
    Array.from({ length: 300 }, (): Shot => {
      const method = random.chance(0.8) ? 'POST' : random.pick(['GET', 'PUT', 'HEAD', 'OPTIONS'])
      const service = random.chance(0.9) ? serviceSid(target.appId, PURPOSE) : random.pick(['VA', '%2e', '..', 'x'])
      const resource = random.pick([
        'Verifications',
        'VerificationCheck',
        `Verifications/${random.pick(IDS)}`,
        '',
        'x/y',
      ])
      const body = random.chance(0.7) ? form(random) : random.pick(BODIES)
      const type = random.chance(0.9)
        ? 'application/x-www-form-urlencoded'
        : random.pick(['', 'text/plain', 'multipart/form-data'])
      const headers = { Authorization: random.pick(authorizations(random, target)), 'Content-Type': type }
      const path = `/compat/twilio/v2/Services/${service}/${resource}`
      return { what: `${method} ${resource.slice(0, 30)}`, request: request(method, path, headers, body) }
    }),
}
