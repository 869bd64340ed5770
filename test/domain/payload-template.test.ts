import { describe, expect, test } from 'bun:test'
import { EVENT_TYPES, sampleEvent } from '../../contract/event'
import { assertHookTemplate, renderHookTemplate } from '../../src/domain/webhooks/payload-template'
import { previewHookTemplate } from '../../src/usecases/preview-hook-template'
import fc, { anyText } from '../support/property'
import { RUNS, thrownBy } from './sample'

const EVENT = {
  type: 'otp.delivered',
  created: 1_768_469_404,
  data: {
    to: '+82******5678',
    attempts: 0,
    ok: false,
    none: null,
    cost: { amount: 1.5, currency: 'CREDIT' },
    metadata: { 'user-id': 'u_42', quote: 'say "hi"', '7': 'seven' },
  },
}
const rendered = (template: string, event: unknown = EVENT) => JSON.parse(renderHookTemplate(template, event))

describe('a template may cost no more than a request of ours has bytes', () => {
  const naming = (times: number) => `[${Array(times).fill('{{data}}').join(',')}]`

  test('a large value named often is written out to that point only', () => {
    let looks = 0
    const event = {
      get data() {
        looks++
        return 'x'.repeat(1_000)
      },
    }
    expect(thrownBy(() => renderHookTemplate(naming(1_500), event))).toMatchObject({
      kind: 'invalid',
      message: 'template: must be at most 65536 bytes after substitution',
    })
    expect(looks).toBeLessThan(70)
  })

  test('bytes count, and so does the last one', () => {
    const rendered = (characters: number) => renderHookTemplate('["{{data}}"]', { data: '가'.repeat(characters) })
    expect(Buffer.byteLength(rendered(21_844))).toBe(65_536)
    expect(thrownBy(() => rendered(21_845))).toMatchObject({ kind: 'invalid' })
  })

  test('one that is too long is not looked at', () => {
    expect(thrownBy(() => previewHookTemplate('{'.repeat(16_385), EVENT_TYPES))).toMatchObject({
      message: 'template: at most 16384 characters',
    })
  })
})

describe('a template', () => {
  test.each<[string, string, unknown]>([
    ['without placeholders stays as it is', '{ "a" : [1, true] }', { a: [1, true] }],
    ['writes text into a string', '{"a":"{{data.to}}"}', { a: '+82******5678' }],
    ['writes a string where a value stands', '{"a":{{data.to}}}', { a: '+82******5678' }],
    ['writes a number where a value stands', '{"a":{{created}},"b":{{data.attempts}}}', { a: 1_768_469_404, b: 0 }],
    ['writes a number into a string', '{"a":"no. {{data.attempts}}"}', { a: 'no. 0' }],
    ['writes false and null as they are', '[{{data.ok}},{{data.none}}]', [false, null]],
    ['writes false into a string, and nothing for null', '["{{data.ok}}","{{data.none}}"]', ['false', '']],
    ['writes an object where a value stands', '[{{data.cost}}]', [{ amount: 1.5, currency: 'CREDIT' }]],
    ['writes an object into a string as its JSON', '["{{data.cost}}"]', ['{"amount":1.5,"currency":"CREDIT"}']],
    ['writes the whole of `data`', '{{data}}', EVENT.data],
    [
      'writes several into one string',
      '["{{type}}: {{data.to}}, {{type}}"]',
      ['otp.delivered: +82******5678, otp.delivered'],
    ],
    ['allows spaces and line breaks in braces', '["{{ type }}",{{\n\ttype\n}}]', ['otp.delivered', 'otp.delivered']],
    ['fills in keys', '{"{{type}} {{data.to}}":1}', { 'otp.delivered +82******5678': 1 }],
    ['reads keys with dashes and digits', '["{{data.metadata.user-id}}","{{data.metadata.7}}"]', ['u_42', 'seven']],
    ['escapes what it writes into a string', '["{{data.metadata.quote}}"]', ['say "hi"']],
    ['writes null for what is missing', '[{{data.no}},{{no.such.path}}]', [null, null]],
    ['writes nothing into a string for what is missing', '["<{{data.no}}>"]', ['<>']],
    ['finds nothing below a text', '[{{data.to.length}},{{type.0}}]', [null, null]],
    [
      'knows an escaped quote from the end of a string',
      String.raw`["\"{{data.to}}\"",{{type}}]`,
      ['"+82******5678"', 'otp.delivered'],
    ],
    [
      'knows an escaped backslash from an escape',
      String.raw`["\\{{type}}","\\",{{type}}]`,
      ['\\otp.delivered', '\\', 'otp.delivered'],
    ],
    ['keeps escapes', String.raw`["\u007b\u007btype}}\n{{type}}"]`, ['{{type}}\notp.delivered']],
    ['keeps braces that hold nothing of its own', '{"a":{"b":{{data.attempts}}}}', { a: { b: 0 } }],
    ['keeps a single brace in a string', '["{type} }} {"]', ['{type} }} {']],
  ])('%s', (_, template, expected) => {
    expect(rendered(template)).toEqual(expected)
    expect(() => assertHookTemplate(template)).not.toThrow()
  })

  test.each([
    'constructor',
    '__proto__',
    'data.constructor.name',
    'data.__proto__',
    'data.toString',
    'data.metadata.hasOwnProperty',
    'data.to.constructor',
  ])('finds nothing that objects merely have: {{%s}}', (path) => {
    expect(rendered(`["<{{${path}}}>",{{${path}}}]`)).toEqual(['<>', null])
  })

  test('finds what an event has of its own under such a name', () => {
    const event = JSON.parse('{"data":{"metadata":{"__proto__":"p","constructor":"c"}}}')
    expect(rendered('["{{data.metadata.__proto__}}",{{data.metadata.constructor}}]', event)).toEqual(['p', 'c'])
  })
})

describe('a value', () => {
  const around = '{"in":"<{{data.metadata.v}}>","out":{{data.metadata.v}},"{{data.metadata.v}}":"key","end":1}'
  const within = (value: unknown) => rendered(around, { data: { metadata: { v: value } } })
  const asIs = (value: string) => ({ in: `<${value}>`, out: value, ...Object.fromEntries([[value, 'key']]), end: 1 })

  test.each([
    '"',
    '\\',
    '\\"',
    '","admin":true,"x":"',
    'a\nb\r\tc\0\u001f\u007f',
    '\u2028\u2029',
    '인증번호 😀',
    '\ud83d',
    '{{type}}',
    '{{data.metadata.v}}',
    '{{',
    '}}',
    '$& $1 $$ $`',
    'null',
  ])('is found as it was, in a string, outside of one and as a key: %p', (value) => {
    expect(within(value)).toEqual(asIs(value))
  })

  test('is found as it was, whatever it is', () => {
    const text = fc.oneof(
      anyText(),
      fc.string({ unit: fc.constantFrom('"', '\\', '{', '}', '{{type}}', '\n', 'u0022', ',', ':', 'ㄱ') }),
    )
    fc.assert(
      fc.property(
        text.filter((value) => !['in', 'out', 'end'].includes(value)),
        (value) => {
          expect(within(value)).toEqual(asIs(value))
        },
      ),
      RUNS,
    )
  })

  test('that is no text is found as it was outside of a string, and as its JSON in one', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const event = { data: JSON.parse(JSON.stringify(value)) }
        const [out, inString] = rendered('[{{data}},"{{data}}"]', event)
        expect(out).toEqual(event.data)
        if (typeof value === 'string') expect(inString).toBe(value)
        else expect(inString).toBe(value === null ? '' : JSON.stringify(value))
      }),
      RUNS,
    )
  })
})

describe('a template is refused', () => {
  test.each<[string, string, string]>([
    ['nothing', '', 'template: must be JSON after substitution'],
    ['no JSON', '{"a":}', 'template: must be JSON after substitution'],
    ['form data', 'id={{data.id}}', 'template: must be JSON after substitution'],
    ['two values', '{} {}', 'template: must be JSON after substitution'],
    ['a string that is not closed', '["{{type}}]', 'template: must be JSON after substitution'],
    ['a line break in a string', '["{{type}}\n"]', 'template: must be JSON after substitution'],
    ['an escape that is none', String.raw`["\{{type}}"]`, 'template: must be JSON after substitution'],
    ['a value that meets a digit', '[1{{data.attempts}}]', 'template: must be JSON after substitution'],
    ['a value that meets a digit in every event', '[1{{created}}]', 'template: must be JSON after substitution'],
    ['a value that meets another', '[{{data.attempts}}{{data.attempts}}]', 'template: must be JSON after substitution'],
    ['a key without quotes', '{ {{data.metadata.userId}}: 1 }', 'template: must be JSON after substitution'],
    ['braces that are not closed, as a value', '[{{type]', 'template: must be JSON after substitution'],
    ['no path', '["{{}}"]', 'template: not a path: {{}}'],
    ['a path of spaces', '["{{  }}"]', 'template: not a path: {{}}'],
    ['an expression', '["{{ a || b }}"]', 'template: not a path: {{a || b}}'],
    ['a helper', '["{{#if data}}"]', 'template: not a path: {{#if data}}'],
    ['a path with a hole', '["{{data..id}}"]', 'template: not a path: {{data..id}}'],
    ['a path that ends with a dot', '["{{data.}}"]', 'template: not a path: {{data.}}'],
    ['a path that begins with a digit', '["{{0.a}}"]', 'template: not a path: {{0.a}}'],
    ['brackets', '["{{data[0]}}"]', 'template: not a path: {{data[0]}}'],
    ['a long one, of which it says the beginning', `["{{${'!'.repeat(999)}}}"]`, `not a path: {{${'!'.repeat(40)}}}`],
  ])('for %s: %p', (_, template, message) => {
    expect(thrownBy(() => assertHookTemplate(template))).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining(message),
    })
  })

  test('that goes well with the samples and not with every event', () => {
    const template = '{ {{data.metadata.userId}}: 1 }'
    expect(previewHookTemplate(template, ['otp.expired'])).toEqual([{ type: 'otp.expired', body: '{ "u_42": 1 }' }])
    expect(() => assertHookTemplate(template)).toThrow('JSON')
  })

  test('or makes JSON of every event there can be', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ',',
      ':',
      '1',
      ' ',
      '\\',
      '{{a}}',
      '{{ b.c }}',
      '"x"',
      '"{{a}}"',
    )
    const shaped = fc.oneof(
      fc.string({ unit: part }),
      fc.string({ unit: part }).map((inner) => `[${inner}]`),
      fc
        .array(fc.constantFrom('{{a}}', '"{{b.c}}"', '{"{{a}}":{{b}}}', '"\\\\{{a}}"', '-{{a}}', '"\\"{{a}}'), {
          maxLength: 4,
        })
        .map((values) => `[${values.join(',')}]`),
    )
    const event = fc.record({ a: fc.jsonValue(), b: fc.oneof(fc.record({ c: fc.jsonValue() }), fc.jsonValue()) })
    let taken = 0
    fc.assert(
      fc.property(shaped, event, (template, event) => {
        try {
          assertHookTemplate(template)
        } catch {
          return
        }
        taken++
        expect(() => rendered(template, event)).not.toThrow()
      }),
      { ...RUNS, numRuns: 2_000 },
    )
    expect(taken).toBeGreaterThan(100)
  })
})

describe('a preview', () => {
  test.each([...EVENT_TYPES])('of %s is what its sample becomes', (type) => {
    const template = '{"id":"{{data.id}}","kind":{{type}},"all":{{data}}}'
    const { data } = sampleEvent(type)
    const [preview, ...others] = previewHookTemplate(template, [type])
    expect(others).toEqual([])
    expect(preview?.type).toBe(type)
    expect(JSON.parse(preview?.body ?? '')).toEqual({ id: data.id, kind: type, all: data })
  })

  test('is of every event unless some are named, in their order', () => {
    expect(previewHookTemplate('"{{type}}"', EVENT_TYPES)).toEqual(
      EVENT_TYPES.map((type) => ({ type, body: `"${type}"` })),
    )
    expect(previewHookTemplate('{}', ['otp.failed', 'otp.sent']).map(({ type }) => type)).toEqual([
      'otp.failed',
      'otp.sent',
    ])
  })

  test('refuses what makes no JSON of one of them', () => {
    expect(() => previewHookTemplate('[-{{data.attempts}}]', ['otp.verified'])).not.toThrow()
    expect(() => previewHookTemplate('[-{{data.attempts}}]', EVENT_TYPES)).toThrow('JSON')
  })
})
