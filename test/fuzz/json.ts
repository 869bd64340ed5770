/** Bodies: what JSON may be, what it may not be, and what fits no schema. */
import type { Mode } from '../../src/domain/shared/value'
import type { SeededRandom } from '../support/random'
import { bearer, consoleRpc, type Door, knock, rest, rpc, type Shot, type Subject } from './shot'
import { ORIGIN, PHONE, type Target } from './target'
import { json as anyJson, disturbed, LONG, LONG_TEXTS, TEXTS } from './values'

const many = (count: number, member: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => member(index)).join(',')

/** Of one text each, in every place where a body goes. */
const BODIES: Record<string, string | Uint8Array> = {
  nothing: '',
  'a word': 'null',
  'an array': '[]',
  'a text': '"x"',
  'cut off': '{"a":',
  'with a comma too many': '{"a":1,}',
  'with a comment': '{"a":1/**/}',
  'with a byte order mark': '\ufeff{}',
  'with something behind': '{}x',
  'two of them': '{}{}',
  NaN: '{"cost":NaN}',
  'a number of 60,000 digits': `{"cost":${'9'.repeat(LONG)}}`,
  'a number with a huge exponent': '{"cost":1e999999999}',
  'bad UTF-8': Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  'half a surrogate pair': '{"purpose":"\\ud800"}',
  'escapes only': `{"purpose":"${'\\u0000'.repeat(LONG / 6)}"}`,
  'a backslash at the end': '{"a":"\\',
  'sixteen levels': `{"metadata":${'['.repeat(15)}${']'.repeat(15)}}`,
  'thirty thousand levels': '['.repeat(LONG / 2),
  'thirty thousand levels of objects': '{"a":'.repeat(LONG / 5),
  'brackets in a text': `{"purpose":"${'['.repeat(LONG)}"}`,
  'one key twice': '{"a":1,"a":2}',
  'one key five thousand times': `{${many(5_000, () => '"a":1')}}`,
  'ten thousand keys, the last one twice': `{${many(7_000, (index) => `"${index}":1`)},"0":1}`,
  'seven thousand keys nobody knows': `{${many(7_000, (index) => `"${index}":1`)}}`,
  'four thousand notes': `{"metadata":{${many(4_000, (index) => `"k${index}":"v"`)}}}`,
  'four thousand notes that are none': `{"metadata":{${many(4_000, (index) => `"k${index}\\u0000":1`)}}}`,
  'six thousand variables': `{"templateVariables":{${many(5_000, (index) => `"k${index}":""`)}}}`,
  'the prototype': '{"__proto__":{"purpose":"x"},"constructor":{"prototype":{"purpose":"x"}}}',
  'the prototype, escaped': '{"\\u005f_proto__":{"purpose":"x"}}',
  'empty texts as keys': '{"":{"":{"":1}}}',
}

/** RPC's notes on values: `[type, ...path]`. */
const META: Record<string, unknown> = {
  'a big integer': [[0, 'purpose']],
  'a date': [[1, 'purpose']],
  'a URL': [[4, 'purpose']],
  'a regular expression': [[5, 'purpose']],
  'a set': [[6, 'purpose']],
  'a map': [[7, 'purpose']],
  'of the prototype': [[1, '__proto__', 'polluted']],
  'of the constructor': [[1, 'constructor', 'prototype', 'polluted']],
  'of nothing': [[]],
  'of an unknown type': [[99, 'purpose']],
  'of the root': [[6], [7], [0]],
  'of a text': 'x',
  'of ten thousand times the same': Array(6_000).fill([3, 'purpose']),
  'of a path without end': [[0, ...Array(10_000).fill('a')]],
}

const REGULAR = '/(a+)+$/gimsuy'

/** An order that is taken, or would be if there were credit. */
const order = (random: SeededRandom, mode: Mode) => ({
  phoneNumber: mode === 'test' ? '010-0000-0000' : PHONE,
  purpose: `fuzz ${random.below(1e9)}`,
  idempotencyKey: `fuzz-${random.below(1e9)}-${random.below(1e9)}`,
  channel: 'sms',
  templateId: 'patterns',
  templateVariables: { letters: 'abc', any: 'x' },
  from: 'ME',
  messageType: 'SMS',
  smsFallback: true,
  cost: 1,
  metadata: { a: 'b' },
  expiresInSec: 60,
  maxAttempts: 5,
})

const doors = (target: Target): Door[] => [
  rest(target, 'issue'),
  rest(target, 'verify'),
  rpc(target, 'issue'),
  rpc(target, 'listIssues'),
  rpc(target, 'balance'),
  consoleRpc(target, 'session/current', 'nobody'),
  consoleRpc(target, 'session/signIn', 'nobody'),
  consoleRpc(target, 'issues/list', 'viewer'),
]

/** As the door takes it. */
const asInput = ({ name }: Door, text: string | Uint8Array) =>
  name.startsWith('REST') || typeof text !== 'string' ? text : `{"json":${text || 'null'}}`

const broken = (random: SeededRandom, target: Target): Shot[] => {
  const all = doors(target)
  return Object.entries(BODIES).flatMap(([what, text]) => {
    const some = random.chance(0.3) ? all : [random.pick(all), rest(target, 'issue')]
    return some.map((door) => knock(door, what, asInput(door, text)))
  })
}

const noted = (random: SeededRandom, target: Target): Shot[] =>
  Object.entries(META).map(([what, meta]) =>
    knock(rpc(target, 'issue'), `a note ${what}`, {
      json: { purpose: random.pick(['9'.repeat(LONG / 2), REGULAR]) },
      meta,
    }),
  )

const FIELDS = ['phoneNumber', 'purpose', 'templateId', 'from', 'idempotencyKey', 'channel']

/** One long text, wherever a text may stand. */
function long(random: SeededRandom, target: Target, what: string, value: string): Shot[] {
  const field = random.pick(FIELDS)
  const half = value.slice(0, LONG / 3)
  const ordered = (wrong: object) => ({ ...order(random, 'live'), ...wrong })
  const issue = rest(target, 'issue')
  const browser: Door = { ...issue, headers: { ...bearer(target.keys.browser), Origin: ORIGIN } }
  const free = { from: undefined, templateId: 'open', templateVariables: { text: value } }
  return [
    knock(issue, `${field} of ${what}`, ordered({ [field]: value })),
    knock(issue, `a variable of ${what}`, ordered({ templateVariables: { any: value } })),
    knock(issue, `metadata of ${what}`, ordered({ metadata: { a: half, [half]: 'a' } })),
    knock(browser, `from a browser, a variable of ${what}`, ordered(free)),
    knock(rest(target, 'verify'), `a code of ${what}`, { issueId: half, code: half }),
    knock(consoleRpc(target, 'session/signIn', 'nobody'), `an e-mail address of ${what}`, {
      json: { email: value, password: 'x' },
    }),
  ]
}

/** Nearly right; with a test key some of them are taken. */
function nearlyRight(random: SeededRandom, target: Target): Shot {
  const mode = random.pick(['live', 'test'] as const)
  const input = disturbed(random, order(random, mode))
  const what = JSON.stringify(input).slice(0, 200)
  return random.chance(0.5)
    ? knock(rest(target, 'issue', mode), what, input)
    : knock(rpc(target, 'issue', mode), what, { json: input })
}

/** Verifying what nobody has issued. */
const unknown = (random: SeededRandom, target: Target): Shot[] =>
  TEXTS.map((issueId) =>
    knock(rest(target, 'verify', random.pick(['live', 'test'])), `an id of ${issueId}`, { issueId, code: '123456' }),
  )

function anything(random: SeededRandom, target: Target): Shot {
  const input = anyJson(random)
  const what = JSON.stringify(input).slice(0, 200)
  return knock(random.pick(doors(target)), what, { json: input, [random.pick(TEXTS)]: 1 })
}

export const json: Subject = {
  name: 'json',
  shots: (random, target) => [
    ...broken(random, target),
    ...noted(random, target),
    ...Object.entries(LONG_TEXTS).flatMap(([what, value]) => long(random, target, what, value)),
    ...Array.from({ length: 60 }, () => nearlyRight(random, target)),
    ...unknown(random, target),
    ...Array.from({ length: 40 }, () => anything(random, target)),
  ],
}
