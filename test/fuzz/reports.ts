/** What stands at the carriers' door: reports of strangers, and of carriers that have gone mad. */
import { createHmac } from 'node:crypto'
import type { SeededRandom } from '../support/random'
import { type Headers, request, type Shot, type Subject } from './shot'
import { REPORT_SECRET } from './target'
import { json as anyJson, LONG, TEXTS } from './values'

const CARRIERS = [
  'main',
  'twilio',
  'solapi',
  'nhn',
  'aligo',
  'simulator',
  'nobody',
  'a'.repeat(3_000),
  '__proto__',
  'main%00',
]

const ID = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'
/** Brackets, and what closes them again. */
const nested = (open: string, close: string, levels: number) => `${open.repeat(levels)}0${close.repeat(levels)}`
const many = (count: number, item: string) => `[${Array(count).fill(item).join(',')}]`

/** Of messages nobody waits for. */
const BODIES: Record<string, string> = {
  nothing: '',
  'no JSON': '{',
  'a word': 'null',
  'one of a message nobody sent': `{"messageId":"${ID}","status":"delivered"}`,
  'thirteen hundred of them': many(1_300, '{"id":"x","status":"failed"}'),
  'two thousand of SOLAPI': many(1_000, '{"messageId":"M","statusCode":"4000","customFields":{"messageId":"x"}}'),
  'a thousand of NHN': `{"event":"MESSAGE_RESULT_UPDATE","hooks":${many(900, '{"requestId":"r","recipientSeq":1,"resultCode":"1000"}')}}`,
  'an id of 60,000 letters': `{"messageId":"${'a'.repeat(LONG)}","status":"delivered"}`,
  'twenty thousand numbers': many(20_000, '1'),
  'thirty thousand levels': nested('[', ']', LONG / 2),
  'ten thousand levels of objects': nested('{"a":', '}', LONG / 6),
  'thirty thousand fields': 'a&'.repeat(LONG / 2),
  'fields in the wrong order': Array.from({ length: 8_000 }, (_, index) => `${9_999 - index}=`).join('&'),
  'a form of percents': '%'.repeat(LONG),
  'a message of Twilio': `MessageSid=SM${'0'.repeat(32)}&MessageStatus=delivered&AccountSid=AC${'0'.repeat(32)}`,
  NUL: '\0'.repeat(1_000),
}

/** As Twilio signs what it sends to the address the server takes itself to have. */
function signed(path: string, text: string): Headers {
  const fields = [...new URLSearchParams(text)].sort(([a], [b]) => (a < b ? -1 : Number(a > b)))
  const signature = createHmac('sha1', REPORT_SECRET)
    .update(`http://localhost${path}${fields.flat().join('')}`)
    .digest('base64')
  return { 'X-Twilio-Signature': signature }
}

const proofs = (random: SeededRandom, path: string, text: string): Headers[] => [
  {},
  { Authorization: `Bearer ${REPORT_SECRET}` },
  signed(path, text),
  { 'X-Solapi-Secret': REPORT_SECRET },
  {
    Authorization: `Bearer ${random.pick(TEXTS).replace(/[^\x20-\x7e]/g, '?')}`,
    'X-Twilio-Signature': '='.repeat(4_000),
  },
]

export const reports: Subject = {
  name: 'reports',
  shots: (random) =>
    CARRIERS.flatMap((carrier) => {
      const path = `/provider-reports/${carrier}${random.chance(0.1) ? `?token=${'t'.repeat(4_000)}` : ''}`
      const texts = Object.entries(BODIES).concat(
        Array.from({ length: 5 }, () => ['any JSON', JSON.stringify(anyJson(random))]),
      )
      return texts.flatMap(([what, text]) =>
        proofs(random, path, text)
          .filter(() => random.chance(0.5))
          .map((headers): Shot => {
            const method = random.chance(0.05) ? random.pick(['PUT', 'DELETE', 'OPTIONS']) : 'POST'
            return { what: `${carrier.slice(0, 20)}: ${what}`, request: request(method, path, headers, text) }
          }),
      )
    }),
}
