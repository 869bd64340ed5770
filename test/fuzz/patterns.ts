/** What is made from texts of operators and callers: patterns of variables, messages, webhooks' templates and filters. */
import type { SeededRandom } from '../support/random'
import { consoleRpc, knock, rest, type Shot, type Subject } from './shot'
import { FORMER_PATTERNS, NOBODYS_URL, PATTERNS, PHONE, type Target, templateOf } from './target'
import { LONG, LONG_TEXTS } from './values'

const EVENTS = ['otp.sent', 'otp.delivered', 'otp.failed', 'otp.verified', 'otp.expired', 'otp.max_attempts']

/** Each of them stops an engine that tries every way, or costs one that does not a lot of memory. */
const EVIL = [
  '(a+)+b|a*',
  '(a|a)*b',
  '(a|aa)+$',
  '(.*)*x',
  '(?:(?:a*)*)*b',
  '([a-z]+)*\\d',
  '(a{0,30}){0,30}b',
  '(a{1,1000}){1,1000}',
  '((((a{10}){10}){10}){10}){10}',
  '(?i:[b-\\u{10FFFE}])'.repeat(9),
  '(?i)[b-\\u{10FFFE}]',
  '(?:a?){200}a{200}',
  '.{1000}',
  '(?i)(?:\\pL|\\pN|\\pP){20}',
  `${'(?i:[\\x{0}-\\x{10FFFF}])'.repeat(8)}`,
  `${'[^a]'.repeat(50)}`,
  `${'\\pL'.repeat(60)}`,
  `${'('.repeat(100)}a${')*'.repeat(50)}`,
  `(${'a|'.repeat(99)}b)*`,
  '(?=a)(a+)+b',
  '(a)\\1*',
  '(?<=a)b',
  '[',
  '(?<n>a)(?<n>b)',
  '\\u{110000}',
  '\\p{Script=Hangul}',
]

const ATOMS = ['a', '.', '\\d', '[a-z]', '[^b]', 'a|b', '\\b', '^', '$', '\\pL']
const TIMES = ['*', '+', '?', '{0,9}', '{3}', '*?']

function pattern(random: SeededRandom, depth = 4): string {
  if (depth === 0 || random.chance(0.2)) return random.pick(ATOMS)
  return random.pick([
    () => `(${pattern(random, depth - 1)})${random.pick(TIMES)}`,
    () => pattern(random, depth - 1) + pattern(random, depth - 1),
    () => `(?:${pattern(random, depth - 1)}|${pattern(random, depth - 1)})`,
  ])()
}

const AGAINST = [
  'a'.repeat(60),
  'a'.repeat(2_000),
  `${'ab'.repeat(900)}c`,
  `${'1.'.repeat(500)}x`,
  '가'.repeat(600),
  '\ufdfa'.repeat(500),
]

/** As many variables of one pattern as a template may have, and as many again as it may not. */
const manyOf = (one: string, count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, one]))

function previewed(random: SeededRandom, target: Target, one: string): Shot {
  const count = random.pick([1, 20, 250])
  const variables = manyOf(one, count)
  const value = random.pick(AGAINST).slice(0, Math.floor(40_000 / count))
  const values = Object.fromEntries(Object.keys(variables).map((name) => [name, value]))
  return knock(consoleRpc(target, 'templates/preview', 'viewer'), `${one.slice(0, 60)} × ${count}`, {
    json: { appId: target.appId, template: templateOf('preview', variables), values },
  })
}

/** A stored template, looked at by everybody who issues. */
function issued(random: SeededRandom, target: Target, templateId: string, variable: string, value: string): Shot {
  return knock(rest(target, 'issue'), `${templateId}.${variable} of ${value.slice(0, 20)} × ${value.length}`, {
    phoneNumber: PHONE,
    purpose: `fuzz ${random.below(1e9)}`,
    idempotencyKey: `fuzz-${random.below(1e9)}`,
    templateId,
    templateVariables: { [variable]: value },
  })
}

const HOOK_TEMPLATES: Record<string, string> = {
  'sixty thousand braces': '{'.repeat(LONG),
  'twenty thousand openings': '{{'.repeat(LONG / 2),
  'openings that never close': `"${'{{a'.repeat(LONG / 3)}"`,
  'the whole event seven thousand times': `[${Array(6_000).fill('{{data}}').join(',')}]`,
  'fifteen hundred times': `[${Array(1_500).fill('{{data}}').join(',')}]`,
  'a path of ten thousand steps': `"{{a${'.a'.repeat(LONG / 4)}}}"`,
  backslashes: `"${'\\'.repeat(LONG)}"`,
  quotes: '"'.repeat(LONG),
  'levels of arrays': '['.repeat(LONG / 2) + ']'.repeat(LONG / 2),
  'the prototype': '"{{__proto__}}{{constructor.name}}{{data.__proto__}}"',
}

const hooked = (target: Target): Shot[] =>
  Object.entries(HOOK_TEMPLATES).flatMap(([what, template]) => [
    knock(consoleRpc(target, 'webhooks/preview', 'viewer'), what, { json: { template, events: EVENTS } }),
    knock(consoleRpc(target, 'webhooks/preview', 'viewer'), `${what}, for many events`, {
      json: { template: template.slice(0, LONG / 2), events: Array(2_000).fill('otp.delivered') },
    }),
  ])

const hook = (appId: string) => ({
  appId,
  mode: 'test',
  url: NOBODYS_URL,
  events: EVENTS,
  filters: {},
  template: '',
  headers: {},
})

/** Refused ones; what is taken is looked at with every event from then on. */
const added = (target: Target): Shot[] =>
  [
    { url: `https://${'a.'.repeat(LONG / 2)}example` },
    { url: `https://hooks.example/${' '.repeat(LONG)}` },
    { url: `https://[${':'.repeat(LONG)}]/` },
    { filters: { metadata: Object.fromEntries(Array.from({ length: 4_000 }, (_, index) => [`k${index}`, ['v']])) } },
    { filters: { type: Array(5_000).fill('x') } },
    { headers: Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`x-${index}`, 'v'])) },
    { headers: { 'x-a': '\r\nX-B: c' } },
    { template: '{{'.repeat(LONG / 2) },
    { events: Array(4_000).fill('otp.none') },
  ].map((wrong) =>
    knock(consoleRpc(target, 'webhooks/add', 'owner'), JSON.stringify(wrong).slice(0, 80), {
      json: { ...hook(target.appId), ...wrong },
    }),
  )

/** Of the shape of a template, and not one. */
const bodies = (target: Target): Shot[] =>
  Object.entries(LONG_TEXTS).flatMap(([what, text]) => {
    const template = templateOf('preview', {})
    return [{ body: text }, { body: `#{code}${text}` }, { name: text }, { providerTemplateCode: text }].map((wrong) =>
      knock(consoleRpc(target, 'templates/preview', 'viewer'), `${Object.keys(wrong)} of ${what}`, {
        json: { appId: target.appId, template: { ...template, ...wrong }, values: {} },
      }),
    )
  })

export const patterns: Subject = {
  name: 'patterns',
  shots: (random, target) => {
    const stored = Object.keys(PATTERNS).map((name) => ['patterns', name] as const)
    const former = Object.keys(FORMER_PATTERNS).map((name) => ['former', name] as const)
    const texts = [...AGAINST, ...Object.values(LONG_TEXTS)]
    return [
      ...EVIL.map((one) => previewed(random, target, one)),
      ...Array.from({ length: 40 }, () => previewed(random, target, pattern(random).slice(0, 200))),
      ...[...stored, ...former, ['large', 'text'] as const].flatMap(([templateId, variable]) =>
        texts.map((value) => issued(random, target, templateId, variable, value)),
      ),
      ...hooked(target),
      ...added(target),
      ...bodies(target),
    ]
  },
}
