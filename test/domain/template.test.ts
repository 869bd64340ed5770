import { describe, expect, test } from 'bun:test'
import { withAutofill } from '../../src/domain/message/rendered-message'
import { encodeText } from '../../src/domain/message/sms-encoding'
import {
  approvedIn,
  assertTemplate,
  BUILT_IN_TEMPLATES,
  DEFAULT_TEMPLATE_ID,
  eucKrBytes,
  inLanguage,
  localesOf,
  messageTypeFor,
  render,
  type Template,
  type TemplateVariable,
  type Translation,
} from '../../src/domain/message/template'
import fc, { anyText } from '../support/property'
import { RUNS, thrownBy } from './sample'

const aTemplate = (body: string, variables: Record<string, Partial<TemplateVariable>> = {}): Template => ({
  templateId: 'welcome',
  name: 'Welcome',
  channelSupport: ['sms'],
  body,
  variables: Object.fromEntries(Object.entries(variables).map(([name, rule]) => [name, { required: true, ...rule }])),
  providerTemplateCode: 'W1',
})
const refusal = (about: string) => ({ kind: 'invalid', message: expect.stringContaining(about) })

describe('rendering', () => {
  test('fills in the code and every variable, wherever and however often they occur', () => {
    const template = aTemplate('#{code} for #{name} at #{shop}: #{code}', { name: {}, shop: {} })
    expect(render(template, { name: 'Ann', shop: '가게' }, '123456')).toBe('123456 for Ann at 가게: 123456')
  })

  test('keeps a leading zero of the code', () => {
    expect(render(aTemplate('[#{code}]'), {}, '000042')).toBe('[000042]')
  })

  test('leaves the placeholder of a missing optional variable empty', () => {
    expect(render(aTemplate('#{code}#{note}', { note: { required: false } }), {}, '1')).toBe('1')
  })

  test('puts values in as they are: placeholders and replacement patterns mean nothing in them', () => {
    const template = aTemplate('<#{a}> #{code} <#{b}>', { a: {}, b: {} })
    const hostile = ['#{code}', '#{b}', '$&', '$1', "$'", '$`', '$$', '$<name>', '\\', '#{', '}']
    for (const a of hostile) {
      for (const b of hostile) expect(render(template, { a, b }, '999999')).toBe(`<${a}> 999999 <${b}>`)
    }
  })

  test('puts any value in as it is, and none that has a line break or a control character', () => {
    const value = anyText().map((any) => any.replace(/[\p{Cc}\u2028\u2029]/gu, ''))
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(render(aTemplate('#{a}|#{code}|#{b}', { a: {}, b: {} }), { a, b }, '123456')).toBe(
          `${a}|123456|${b}`.normalize('NFC'),
        )
      }),
      RUNS,
    )
  })

  test.each<[string, Record<string, string>, string]>([
    ['a required variable is missing', {}, 'name'],
    ['a variable is unknown', { name: 'Ann', other: 'x' }, 'other'],
    ['the code is given', { name: 'Ann', code: '000000' }, 'code'],
    ['a variable is named like something every object has', { name: 'Ann', toString: 'x' }, 'toString'],
  ])('is refused where %s', (_, variables, about) => {
    expect(thrownBy(() => render(aTemplate('#{code} #{name}', { name: {} }), variables, '1'))).toMatchObject(
      refusal(about),
    )
  })

  test('takes nothing from the prototype of the values', () => {
    const template = aTemplate('#{code} #{constructor}', { constructor: { required: false } })
    expect(render(template, {}, '1')).toBe('1 ')
    expect(thrownBy(() => render(aTemplate('#{code} #{valueOf}', { valueOf: {} }), {}, '1'))).toMatchObject(
      refusal('valueOf'),
    )
  })

  test('a value must match its whole pattern', () => {
    const template = aTemplate('#{code} #{n}', { n: { pattern: '\\d{1,3}|none' } })
    for (const value of ['1', '123', 'none']) expect(render(template, { n: value }, '1')).toBe(`1 ${value}`)
    for (const value of ['', '1234', '1 ', 'x1', 'none!', '1|none']) {
      expect(thrownBy(() => render(template, { n: value }, '1'))).toMatchObject(
        refusal('templateVariables.n: does not match'),
      )
    }
  })

  test.each(['\n', '\r', '\0', '\t', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029'])(
    'a value with %j is refused, whatever its pattern',
    (mark) => {
      for (const rule of [{}, { pattern: '[^#]*' }])
        expect(thrownBy(() => render(aTemplate('#{code} #{n}', { n: rule }), { n: `a${mark}b` }, '1'))).toMatchObject({
          kind: 'invalid',
          detail: { param: 'templateVariables.n', reason: 'invalid_characters' },
        })
    },
  )

  test('an optional variable that is given must match too', () => {
    const template = aTemplate('#{code} #{n}', { n: { pattern: '\\d', required: false } })
    expect(render(template, {}, '1')).toBe('1 ')
    expect(thrownBy(() => render(template, { n: '' }, '1'))).toMatchObject(
      refusal('templateVariables.n: does not match'),
    )
  })
})

describe('length', () => {
  test('ASCII counts one, everything else two', () => {
    const ascii = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code))
    expect(eucKrBytes(ascii)).toBe(128)
    expect(eucKrBytes('')).toBe(0)
    expect(eucKrBytes('가나다')).toBe(6)
    expect(eucKrBytes('é')).toBe(2)
    expect(eucKrBytes('😀')).toBe(2)
    expect(eucKrBytes('[인증] 1')).toBe(8)
  })

  test('is that of EUC-KR for everything EUC-KR has', () => {
    const decoder = new TextDecoder('euc-kr')
    let characters = 0
    for (let high = 0xa1; high <= 0xfe; high++) {
      for (let low = 0xa1; low <= 0xfe; low++) {
        const character = decoder.decode(Uint8Array.of(high, low))
        if (character.includes('\ufffd')) continue
        characters++
        expect([character, eucKrBytes(character)]).toEqual([character, 2])
      }
    }
    expect(characters).toBeGreaterThan(8_000)
  })

  test('of two texts together is the sum of theirs', () => {
    const text = fc.string({ unit: 'grapheme' })
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(eucKrBytes(one + other)).toBe(eucKrBytes(one) + eucKrBytes(other))
      }),
      RUNS,
    )
  })

  test.each<[string, string, 'SMS' | 'LMS']>([
    ['90 ASCII characters', 'x'.repeat(90), 'SMS'],
    ['91 ASCII characters', 'x'.repeat(91), 'LMS'],
    ['45 Korean characters', '가'.repeat(45), 'SMS'],
    ['45 Korean characters and a space', `${'가'.repeat(45)} `, 'LMS'],
    ['44 Korean characters and two ASCII', `${'가'.repeat(44)}ab`, 'SMS'],
    ['nothing', '', 'SMS'],
    ['2000 bytes', '가'.repeat(1_000), 'LMS'],
  ])('%s go as what fits', (_, text, type) => {
    expect(messageTypeFor(text, undefined)).toBe(type)
  })

  test('what the caller insists on is kept where it fits, and refused where it does not', () => {
    expect(messageTypeFor('short', 'LMS')).toBe('LMS')
    expect(messageTypeFor('x'.repeat(90), 'SMS')).toBe('SMS')
    expect(thrownBy(() => messageTypeFor('x'.repeat(91), 'SMS'))).toMatchObject(refusal('messageType'))
    for (const requested of [undefined, 'LMS', 'SMS'] as const) {
      expect(thrownBy(() => messageTypeFor('x'.repeat(2_001), requested))).toMatchObject(refusal('2000'))
    }
  })
})

describe('a template', () => {
  test.each<[string, Template]>([
    ['with the code alone', aTemplate('#{code}')],
    ['with variables', aTemplate('#{code} #{name}', { name: { pattern: '.{1,20}' } })],
    ['of 2000 bytes', aTemplate(`#{code}${'x'.repeat(1_993)}`)],
    ['with a name of 64 characters', aTemplate(`#{code}#{${'n'.repeat(64)}}`, { ['n'.repeat(64)]: {} })],
    ['with braces that are no placeholder', aTemplate('#{code} {x} #x #{')],
  ])('may be %s', (_, template) => {
    expect(() => assertTemplate(template)).not.toThrow()
  })

  test.each<[string, Template, string]>([
    ['without the code', aTemplate('hello'), '#{code}'],
    ['with the code in other words', aTemplate('{code} #code #{ code }'), '#{code}'],
    ['with a variable nobody declared', aTemplate('#{code} #{name}'), '#{name}'],
    ['with a variable like something every object has', aTemplate('#{code} #{toString}'), '#{toString}'],
    ['with an empty placeholder', aTemplate('#{code} #{}'), '#{}'],
    ['with a variable that does not occur', aTemplate('#{code}', { name: {} }), 'name'],
    ['that declares the code', aTemplate('#{code}', { code: {} }), 'code'],
    ['with a name that starts with a digit', aTemplate('#{code} #{1a}', { '1a': {} }), '1a'],
    ['with a name of 65 characters', aTemplate(`#{code}#{${'n'.repeat(65)}}`, { ['n'.repeat(65)]: {} }), 'usable'],
    ['with a name in Korean', aTemplate('#{code} #{이름}', { 이름: {} }), '이름'],
    ['with a pattern that is none', aTemplate('#{code} #{a}', { a: { pattern: '(' } }), '"a"'],
    ['with a pattern that escapes its frame', aTemplate('#{code} #{a}', { a: { pattern: 'x)|(?:y' } }), '"a"'],
    ['of 2001 bytes', aTemplate(`#{code}${'x'.repeat(1_994)}`), '2000'],
    ['of 2001 bytes in Korean', aTemplate(`#{code}${'가'.repeat(997)}`), '2000'],
    ['for no channel', { ...aTemplate('#{code}'), channelSupport: [] }, 'channelSupport'],
  ])('is refused %s', (_, template, about) => {
    expect(thrownBy(() => assertTemplate(template))).toMatchObject(refusal(about))
  })

  test.each(BUILT_IN_TEMPLATES.map((template) => [template.templateId, template] as const))(
    '%s is built in, needs nothing but the code, and goes as SMS',
    (_, template) => {
      expect(() => assertTemplate(template)).not.toThrow()
      const text = render(template, {}, '123456')
      expect(text).toContain('123456')
      expect(text).not.toContain('#{')
      expect(messageTypeFor(text, undefined)).toBe('SMS')
    },
  )

  test('the default is one of those that are built in', () => {
    expect(BUILT_IN_TEMPLATES.map(({ templateId }) => templateId)).toContain(DEFAULT_TEMPLATE_ID)
  })
})

describe('a template in several languages', () => {
  const own = { ...aTemplate('안녕 #{code}'), locale: 'ko' }
  const inThree: Template = {
    ...own,
    bodies: {
      en: { body: 'Hello #{code}', providerTemplateCode: 'W1_EN' },
      zh: { body: '你好 #{code}' },
      'zh-TW': { body: '妳好 #{code}' },
    },
  }

  test.each([
    ['exactly as asked for', 'zh-TW', 'zh-TW'],
    ['in its language, where there is none for the region', 'en-GB', 'en'],
    ['without the script, where there is none with it', 'zh-Hant-TW', 'zh-TW'],
    ['however the tag is spelled', 'ZH-tw', 'zh-TW'],
    ['in the mere language, where the region has another', 'zh-CN', 'zh'],
    ['in its own language by name', 'ko-KR', 'ko'],
    ['in its own, where it has not the one asked for', 'ja', 'ko'],
    ['in its own, where what is asked for is no tag', 'not a tag', 'ko'],
    ['in its own, where a tag is something every object has', 'constructor', 'ko'],
    ['in its own, where nothing is asked for', undefined, 'ko'],
  ])('is sent %s', (_, asked, locale) => {
    const body = locale === 'ko' ? own.body : inThree.bodies?.[locale]?.body
    expect(inLanguage(inThree, asked)).toMatchObject({ locale, body: body ?? 'missing', templateId: 'welcome' })
  })

  test('a region of its own is not taken for the language', () => {
    const british = { ...aTemplate('Colour #{code}'), locale: 'en-GB', bodies: { en: { body: 'Color #{code}' } } }
    expect(inLanguage(british, 'en-GB').body).toBe('Colour #{code}')
    expect(inLanguage(british, 'en-US').body).toBe('Color #{code}')
    expect(inLanguage({ ...british, locale: undefined }, 'fr').body).toBe('Colour #{code}')
  })

  test('has a code of each language at the provider, or that of the template', () => {
    expect(inLanguage(inThree, 'en').providerTemplateCode).toBe('W1_EN')
    expect(inLanguage(inThree, 'zh').providerTemplateCode).toBe('W1')
  })

  test('an AlimTalk is in what Kakao has approved: a language with a code, or its own', () => {
    expect(approvedIn(inThree, 'en')).toMatchObject({ body: 'Hello #{code}', providerTemplateCode: 'W1_EN' })
    expect(approvedIn(inThree, 'zh-TW')).toMatchObject({ body: own.body, providerTemplateCode: 'W1', locale: 'ko' })
    expect(approvedIn(inThree, undefined)).toMatchObject({ body: own.body, providerTemplateCode: 'W1' })
    expect(approvedIn(own, 'en')).toMatchObject({ body: own.body, providerTemplateCode: 'W1' })
  })

  test('has DLT ids of each text; where one has no entity id, that of the template counts', () => {
    const registered: Template = {
      ...own,
      dlt: { entityId: '1201', templateId: '1107' },
      bodies: {
        en: { body: 'Hello #{code}', dlt: { templateId: '1108' } },
        ja: { body: '#{code} です' },
        zh: { body: '你好 #{code}', dlt: { entityId: '1202', templateId: '1109' } },
      },
    }
    expect(inLanguage(registered, undefined).dlt).toEqual({ entityId: '1201', templateId: '1107' })
    expect(inLanguage(registered, 'en').dlt).toEqual({ entityId: '1201', templateId: '1108' })
    expect(inLanguage(registered, 'ja').dlt).toEqual({ entityId: '1201' })
    expect(inLanguage(registered, 'zh').dlt).toEqual({ entityId: '1202', templateId: '1109' })
    expect(() => assertTemplate(registered)).not.toThrow()
  })

  test('tells its languages, its own first', () => {
    expect(localesOf(inThree)).toEqual(['ko', 'en', 'zh', 'zh-TW'])
    expect(localesOf({ ...inThree, locale: undefined })).toEqual(['en', 'zh', 'zh-TW'])
    expect(localesOf(aTemplate('#{code}'))).toEqual([])
  })

  const named = { ...aTemplate('#{code} #{name}', { name: {} }), locale: 'ko' }
  const with_ = (bodies: Record<string, Translation>): Template => ({ ...named, bodies })
  test.each<[string, Template, string, string]>([
    ['without the code', with_({ en: { body: '#{name}' } }), 'bodies.en', 'code_placeholder_missing'],
    ['without a variable', with_({ en: { body: '#{code}' } }), 'bodies.en', 'unused_variable'],
    ['with one more', with_({ en: { body: '#{code} #{name} #{a}' } }), 'bodies.en', 'undeclared_placeholder'],
    ['with control characters', with_({ en: { body: '#{code} #{name}\r' } }), 'bodies.en', 'invalid_characters'],
    ['too long', with_({ en: { body: `#{code} #{name}${'x'.repeat(1_990)}` } }), 'bodies.en', 'message_too_long'],
    [
      'with a code that is none',
      with_({ en: { body: '#{code} #{name}', providerTemplateCode: 'a b' } }),
      'bodies.en',
      'not_visible_ascii',
    ],
    [
      'with a DLT entity id of letters',
      with_({ en: { body: '#{code} #{name}', dlt: { entityId: '12a' } } }),
      'bodies.en.dlt.entityId',
      'invalid_format',
    ],
    ['with an empty DLT entity id', { ...named, dlt: { entityId: '' } }, 'dlt.entityId', 'invalid_format'],
    [
      'with a DLT template id of 31 digits',
      { ...named, dlt: { entityId: '1', templateId: '1'.repeat(31) } },
      'dlt.templateId',
      'invalid_format',
    ],
    ['of no language', with_({ english: { body: '#{code} #{name}' } }), 'bodies.english', 'invalid_language'],
    [
      'of a tag in another spelling',
      with_({ 'zh-tw': { body: '#{code} #{name}' } }),
      'bodies.zh-tw',
      'invalid_language',
    ],
    ['of its own language', with_({ ko: { body: '#{code} #{name}' } }), 'bodies.ko', 'language_taken'],
    ['whose own language is none', { ...named, locale: 'korean!' }, 'locale', 'invalid_language'],
    [
      'of too many',
      with_(
        Object.fromEntries(
          Array.from({ length: 41 }, (_, n) => [
            `a${String.fromCharCode(97 + (n % 26))}-${100 + n}`,
            { body: '#{code} #{name}' },
          ]),
        ),
      ),
      'bodies',
      'too_many',
    ],
  ])('is refused %s', (_, template, param, reason) => {
    expect(thrownBy(() => assertTemplate(template))).toMatchObject({ kind: 'invalid', detail: { param, reason } })
  })

  test('may have 40', () => {
    const tags = Array.from({ length: 40 }, (_, n) => `en-${100 + n}`)
    const bodies = Object.fromEntries(tags.map((tag) => [tag, { body: '#{code} #{name}' }]))
    expect(() => assertTemplate(with_(bodies))).not.toThrow()
  })
})

describe('the default template', () => {
  const template = BUILT_IN_TEMPLATES.find(({ templateId }) => templateId === DEFAULT_TEMPLATE_ID)
  const texts = { webOtpDomain: 'app.example.com', androidHash: 'FA+9qCX9VSu', localeByCountry: false }

  test('is in seven languages', () => {
    expect(template && localesOf(template)).toEqual(['ko', 'en', 'ja', 'zh', 'es', 'de', 'fr'])
  })

  test.each(['ko', 'en', 'ja', 'zh', 'es', 'de', 'fr'])('in %s is an SMS with a usual domain', (locale) => {
    const text = template && render(inLanguage(template, locale), {}, '123456')
    const full = withAutofill(text ?? '', { ...texts, androidHash: undefined }, '123456')
    expect(messageTypeFor(full, undefined)).toBe('SMS')
    // Android hands nothing longer to an app.
    expect(Buffer.byteLength(withAutofill(text ?? '', texts, '123456'))).toBeLessThanOrEqual(140)
  })

  test.each(['en', 'es', 'de', 'fr'])('in %s is one message everywhere, also with all that fills it in', (locale) => {
    const text = template && render(inLanguage(template, locale), {}, '123456')
    const { dataCoding, parts } = encodeText(withAutofill(text ?? '', texts, '123456'), 0)
    expect([dataCoding, parts.length]).toEqual([0, 1])
  })
})
