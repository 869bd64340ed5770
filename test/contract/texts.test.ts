/** In which words a code arrives: lines that fill it in, languages of one template. Decisions: "Templates". */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Template } from '../../src/domain/message/template'
import * as administer from '../../src/usecases/administer'
import { answered, codeIn, type ReceivedMessage } from '../support/carrier'
import { errorOf } from '../support/error-of'
import { type Furnished, SMS_URL, WIRES, World } from '../support/world'

const DOMAIN = 'app.example.com'
const HASH = 'FA+9qCX9VSu'

describe.each(WIRES)('texts over %s', (wire) => {
  let world: World
  let keys: Furnished
  let made = 0

  beforeEach(async () => {
    world = await World.start({ env: { WATCHWORD_PRICE_LMS: '3' } })
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const issue = async (input: object = {}, key = keys.live, headers: Record<string, string> = {}) => {
    const order = { phoneNumber: `010-1234-${5_000 + made}`, purpose: 'login', idempotencyKey: `k${made++}`, ...input }
    const answer = await world.call(wire, 'issue', order, { key, headers })
    await world.settle()
    return answer
  }
  const sent = async (input: object = {}): Promise<ReceivedMessage> => {
    expect((await issue(input)).status).toBe(200)
    const message = world.sms.requests.at(-1)
    if (!message) throw new Error('no SMS went out')
    return message
  }
  const decide = (texts: administer.WantedTexts) => world.run(administer.setTexts(world.admin, keys.appId, texts))
  const save = (changes: Partial<Template>) =>
    world.run(
      administer.saveTemplate(world.admin, keys.appId, {
        ...{ templateId: 'welcome', name: 'Welcome', channelSupport: ['sms', 'alimtalk'], variables: {} },
        ...{ body: '환영합니다 #{code}', providerTemplateCode: 'W1', locale: 'ko' },
        ...changes,
      }),
    )
  const pricedAs = async (input: object) => {
    const { body } = await issue(input)
    const { price } = (await world.store.read.issues.find({ appId: keys.appId, mode: 'live' }, body.issueId)) ?? {}
    return [world.sms.requests.at(-1)?.messageType, price]
  }

  describe('what fills a code in', () => {
    test('nothing does until the app says so', async () => {
      const { text } = await sent()
      expect(text).toBe(`인증번호는 [${codeIn(text)}]입니다. 타인에게 알려주지 마세요.`)
    })

    test('an SMS ends with the hash of Android, and then with the line of browsers', async () => {
      await decide({ webOtpDomain: DOMAIN, androidHash: HASH })
      const { text, messageType } = await sent()
      const code = codeIn(text)
      expect(text).toBe(`인증번호는 [${code}]입니다. 타인에게 알려주지 마세요.\n${HASH}\n@${DOMAIN} #${code}`)
      expect(messageType).toBe('SMS')
      await decide({ webOtpDomain: null })
      expect((await sent()).text.split('\n').slice(1)).toEqual([HASH])
      await decide({ androidHash: null })
      expect((await sent()).text).not.toContain('\n')
    })

    test('an AlimTalk says what Kakao has approved; the SMS that takes over has the lines', async () => {
      await decide({ webOtpDomain: DOMAIN, androidHash: HASH })
      world.kakao.script(() => answered(400, { code: 'NO_KAKAO' }))
      expect((await issue({ channel: 'alimtalk' })).status).toBe(200)
      const approved = world.kakao.requests[0]
      const code = codeIn(approved?.text ?? '')
      expect(approved?.text).toBe(`인증번호는 [${code}]입니다. 타인에게 알려주지 마세요.`)
      expect(approved?.variables).toEqual({ code })
      expect(world.sms.requests.at(-1)?.text).toBe(`${approved?.text}\n${HASH}\n@${DOMAIN} #${code}`)
    })

    test('the SMS that takes over goes as what its own lines make it', async () => {
      await save({ body: `${'x'.repeat(90 - 6)}#{code}` })
      const order = { channel: 'alimtalk', templateId: 'welcome' }
      const takesOverAs = async () => {
        world.kakao.script(() => answered(400, { code: 'NO_KAKAO' }))
        expect((await issue(order)).status).toBe(200)
        return world.sms.requests.at(-1)?.messageType
      }
      expect(await takesOverAs()).toBe('SMS')
      await decide({ androidHash: HASH })
      expect(await takesOverAs()).toBe('LMS')
    })

    test('they count: what fits no more goes as LMS and costs as one, or is refused where an SMS was asked for', async () => {
      const body = `${'x'.repeat(90 - 6)}#{code}`
      await save({ body, channelSupport: ['sms'] })
      expect(await pricedAs({ templateId: 'welcome', messageType: 'SMS' })).toEqual(['SMS', 1])
      await decide({ androidHash: HASH })
      expect(await pricedAs({ templateId: 'welcome' })).toEqual(['LMS', 3])
      const { status, body: refused } = await issue({ templateId: 'welcome', messageType: 'SMS' })
      expect([status, refused.data]).toEqual([400, { param: 'messageType', reason: 'message_too_long' }])
    })

    test('exactly 90 bytes are an SMS', async () => {
      await decide({ webOtpDomain: DOMAIN })
      const line = `\n@${DOMAIN} #123456`
      await save({ body: `${'x'.repeat(90 - 6 - line.length)}#{code}` })
      expect(await sent({ templateId: 'welcome' })).toMatchObject({ messageType: 'SMS' })
      await save({ body: `${'x'.repeat(91 - 6 - line.length)}#{code}` })
      expect(await sent({ templateId: 'welcome' })).toMatchObject({ messageType: 'LMS' })
    })

    test('webOtp: false leaves the line of browsers out, and is no part of the request', async () => {
      await decide({ webOtpDomain: DOMAIN, androidHash: HASH })
      const order = { phoneNumber: '010-1234-5678', idempotencyKey: 'same' }
      const first = await issue({ ...order, webOtp: false })
      expect(world.sms.requests.at(-1)?.text.split('\n').slice(1)).toEqual([HASH])
      expect((await issue(order)).body).toEqual(first.body)
      expect(world.sms.requests).toHaveLength(1)
    })

    test('test mode counts them as well', async () => {
      await save({ body: `${'x'.repeat(90 - 6)}#{code}` })
      const order = { phoneNumber: '010-0000-0000', templateId: 'welcome', messageType: 'SMS' }
      expect((await issue(order, keys.test)).status).toBe(200)
      await decide({ androidHash: HASH })
      const { status, body } = await issue(order, keys.test)
      expect([status, body.data]).toEqual([400, { param: 'messageType', reason: 'message_too_long' }])
    })

    test('an AlimTalk that no SMS may follow is not refused for the length of an SMS', async () => {
      await save({ body: `${'x'.repeat(200)}#{code}` })
      const order = { channel: 'alimtalk', templateId: 'welcome', messageType: 'SMS' }
      const { status, body } = await issue(order)
      expect([status, body.data]).toEqual([400, { param: 'messageType', reason: 'message_too_long' }])
      expect((await issue({ ...order, smsFallback: false })).status).toBe(200)
    })

    test('a message that waits keeps the words it was admitted with', async () => {
      await decide({ webOtpDomain: DOMAIN })
      world.sms.script(() => answered(429, {}))
      await issue()
      const [first] = world.sms.requests
      await decide({ webOtpDomain: null, androidHash: HASH })
      await world.advance(60_000)
      expect(world.sms.requests.at(-1)?.messageId).toBe(first?.messageId ?? '')
      expect(world.sms.requests).toHaveLength(2)
      expect(world.sms.requests[1]?.text).toBe(first?.text ?? '')
    })

    test('the code is in no log', async () => {
      await decide({ webOtpDomain: DOMAIN, androidHash: HASH })
      world.sms.script(() => answered(500, {}))
      await issue({ channel: 'sms' })
      world.kakao.script(() => answered(400, { code: 'NO_KAKAO' }))
      await issue({ channel: 'alimtalk' })
      const codes = [...world.sms.requests, ...world.kakao.requests].map(({ text }) => codeIn(text))
      expect(codes.length).toBeGreaterThan(1)
      for (const code of codes) expect(world.logged.join('\n')).not.toContain(code)
    })
  })

  describe('a template in other languages', () => {
    const bodies = { en: { body: 'Welcome #{code}' }, ja: { body: 'ようこそ #{code}', providerTemplateCode: 'W1_JA' } }
    const textIn = async (input: object) => (await sent({ templateId: 'welcome', ...input })).text.replace(/\d{6}/, '…')

    test('is in the one that an order asks for, or what comes closest', async () => {
      await save({ bodies })
      expect(await textIn({})).toBe('환영합니다 …')
      expect(await textIn({ locale: 'en' })).toBe('Welcome …')
      expect(await textIn({ locale: 'en-GB' })).toBe('Welcome …')
      expect(await textIn({ locale: 'JA' })).toBe('ようこそ …')
      expect(await textIn({ locale: 'ko-KR' })).toBe('환영합니다 …')
    })

    test.each(['xx', 'fr', 'en-a', 'zh-Hant-TW'])('an unknown one is no error: %s', async (locale) => {
      await save({ bodies })
      expect(await textIn({ locale })).toBe('환영합니다 …')
    })

    test.each([
      ['', 'invalid_format'],
      ['e', 'invalid_format'],
      ['ko_KR', 'invalid_format'],
      ['english', 'invalid_format'],
      ['en-', 'invalid_format'],
      ['en\n', 'invalid_format'],
      [`en-${'x'.repeat(8)}`.padEnd(36, '-abc'), 'too_long'],
      [7, 'wrong_type'],
    ])('%j is no tag', async (locale, reason) => {
      const { status, body } = await issue({ locale })
      expect([status, body.data]).toMatchObject([400, { param: 'locale', reason }])
    })

    test('which one is no part of the request: its first answer stands', async () => {
      await save({ bodies })
      const order = { templateId: 'welcome', phoneNumber: '010-1234-5678', idempotencyKey: 'same' }
      const first = await issue({ ...order, locale: 'en' })
      expect((await issue({ ...order, locale: 'ja' })).body).toEqual(first.body)
      expect((await issue(order)).body).toEqual(first.body)
      expect(world.sms.requests.map(({ text }) => text.replace(/\d{6}/, '…'))).toEqual(['Welcome …'])
    })

    test('the default one is there in seven', async () => {
      const begins = {
        ...{ ko: '인증번호는', en: 'Your verification code', ja: '認証コード', zh: '您的验证码' },
        ...{ es: 'Tu clave', de: 'Ihr Verifizierungscode', fr: "Code d'authentification" },
      }
      for (const [locale, begin] of Object.entries(begins)) expect((await sent({ locale })).text).toStartWith(begin)
    })

    test('an AlimTalk is in one that Kakao has approved; the SMS that takes over in the one asked for', async () => {
      await save({ bodies })
      world.kakao.answer = () => answered(400, { code: 'NO_KAKAO' })
      const both = async (locale: string) => {
        await issue({ channel: 'alimtalk', templateId: 'welcome', locale })
        const [kakao, sms] = [world.kakao.requests.at(-1), world.sms.requests.at(-1)]
        return [kakao?.templateCode, kakao?.text, sms?.text].map((text) => text?.replace(/\d{6}/, '…'))
      }
      expect(await both('ja')).toEqual(['W1_JA', 'ようこそ …', 'ようこそ …'])
      expect(await both('en')).toEqual(['W1', '환영합니다 …', 'Welcome …'])
      expect(await both('fr')).toEqual(['W1', '환영합니다 …', '환영합니다 …'])
    })

    test('its DLT ids are those of the SMS in its language, and go to India alone', async () => {
      await world.provide('main', ['sms'], SMS_URL, { headers: { 'x-dlt': '{{dltEntityId}}/{{dltTemplateId}}' } })
      await save({
        dlt: { entityId: '1201', templateId: '1107' },
        bodies: {
          en: { body: 'Welcome #{code}', dlt: { templateId: '1108' } },
          ja: { body: 'ようこそ #{code}', providerTemplateCode: 'W1_JA', dlt: { templateId: '1109' } },
        },
      })
      world.kakao.answer = () => answered(400, { code: 'NO_KAKAO' })
      const idsFor = async (input: object) => {
        await issue({ templateId: 'welcome', ...input })
        return world.sms.headers.at(-1)?.['x-dlt']
      }
      const phoneNumber = '+919812345678'
      expect(await idsFor({ phoneNumber })).toBe('1201/1107')
      expect(await idsFor({ phoneNumber, locale: 'en' })).toBe('1201/1108')
      expect(await idsFor({ phoneNumber, locale: 'en', channel: 'alimtalk' })).toBe('1201/1108')
      expect(await idsFor({ locale: 'en' })).toBe('/')
    })

    test('a browser key may ask for one', async () => {
      await save({ bodies })
      const origin = 'https://app.example.com'
      const key = await world.key({ appId: keys.appId, kind: 'pk', mode: 'live', allowedOrigins: [origin] })
      expect((await issue({ templateId: 'welcome', locale: 'ja' }, key, { origin })).status).toBe(200)
      expect(world.sms.requests.at(-1)?.text).toStartWith('ようこそ')
    })

    describe('by the country of the number', () => {
      test('only where the app says so, and no language is asked for', async () => {
        await save({ bodies })
        const abroad = { phoneNumber: '+1 212 555 2368' }
        expect(await textIn(abroad)).toBe('환영합니다 …')
        await decide({ localeByCountry: true })
        expect(await textIn(abroad)).toBe('Welcome …')
        expect(await textIn({})).toBe('환영합니다 …')
        expect(await textIn({ phoneNumber: '+81 90-1234-5678' })).toBe('ようこそ …')
        expect(await textIn({ ...abroad, locale: 'ja' })).toBe('ようこそ …')
        await decide({ localeByCountry: false })
        expect(await textIn(abroad)).toBe('환영합니다 …')
      })

      test('in its own where the template has not that of the country', async () => {
        await save({ bodies })
        await decide({ localeByCountry: true })
        expect(await textIn({ phoneNumber: '+49 1512 3456789' })).toBe('환영합니다 …')
      })

      test('the default template, without a word from the caller', async () => {
        await decide({ localeByCountry: true })
        expect((await sent({ phoneNumber: '+1 212 555 2368' })).text).toStartWith('Your verification code')
        expect((await sent({ phoneNumber: '+886 912 345 678' })).text).toStartWith('您的验证码')
        expect((await sent({ phoneNumber: '+52 55 1234 5678' })).text).toStartWith('Tu clave')
      })
    })

    test('the list names them, the detail has them', async () => {
      await save({ bodies })
      const read = async (operation: 'listTemplates' | 'getTemplate', input: object) =>
        (await world.call(wire, operation, input, { key: keys.live })).body
      const { templates } = await read('listTemplates', {})
      expect(
        templates.map((one: Template & { locales: string[] }) => [one.templateId, one.locale, one.locales]),
      ).toEqual([
        ['otp_default_kr', 'ko', ['ko', 'en', 'ja', 'zh', 'es', 'de', 'fr']],
        ['otp_default_en', 'en', ['en']],
        ['welcome', 'ko', ['ko', 'en', 'ja']],
      ])
      expect(await read('getTemplate', { templateId: 'welcome' })).toMatchObject({ locale: 'ko', bodies })
      await save({ locale: undefined, bodies: {} })
      const plain = await read('getTemplate', { templateId: 'welcome' })
      expect(plain.bodies).toEqual({})
      expect(Object.keys(plain)).not.toContain('locale')
    })
  })
})

describe('who decides', () => {
  let world: World
  let keys: Furnished

  beforeEach(async () => {
    world = await World.start()
    keys = await world.furnish()
  })
  afterEach(() => world.stop())

  const decide = (texts: administer.WantedTexts) => world.run(administer.setTexts(world.admin, keys.appId, texts))
  const own = async () => (await world.store.read.templates.ofApp(keys.appId))[0]
  const WELCOME = {
    ...{ templateId: 'welcome', name: 'Welcome', channelSupport: ['sms'] as const, variables: {} },
    ...{ body: '환영합니다 #{code}', providerTemplateCode: 'W1' },
  }
  const save = (changes: Partial<Template> = {}) =>
    world.run(administer.saveTemplate(world.admin, keys.appId, { ...WELCOME, ...changes }))
  const translate = (locale: string, body?: string, templateId = 'welcome') =>
    world.run(
      administer.translateTemplate(world.admin, keys.appId, templateId, {
        locale,
        translation: body ? { body } : undefined,
      }),
    )

  test('what is not named stays, and every change is noted with what was before', async () => {
    await decide({ webOtpDomain: ' Bücher.Example ', androidHash: HASH })
    const { texts } = await decide({ localeByCountry: true })
    expect(texts).toEqual({ webOtpDomain: 'xn--bcher-kva.example', androidHash: HASH, localeByCountry: true })
    expect((await decide({ androidHash: null })).texts).toEqual({
      ...{ webOtpDomain: 'xn--bcher-kva.example', androidHash: undefined, localeByCountry: true },
    })
    const entries = await world.store.read.audit.page({ limit: 10 })
    expect(
      entries.filter(({ action }) => action === 'app.texts').map(({ target, detail }) => [target, detail]),
    ).toEqual([
      [
        keys.appId,
        {
          ...{ webOtpDomain: 'xn--bcher-kva.example', localeByCountry: true },
          before: { webOtpDomain: 'xn--bcher-kva.example', androidHash: HASH, localeByCountry: true },
        },
      ],
      [
        keys.appId,
        {
          ...{ webOtpDomain: 'xn--bcher-kva.example', androidHash: HASH, localeByCountry: true },
          before: { webOtpDomain: 'xn--bcher-kva.example', androidHash: HASH, localeByCountry: false },
        },
      ],
      [
        keys.appId,
        {
          ...{ webOtpDomain: 'xn--bcher-kva.example', androidHash: HASH, localeByCountry: false },
          before: { localeByCountry: false },
        },
      ],
    ])
  })

  test('what is wrong changes nothing', async () => {
    expect(await errorOf(decide({ webOtpDomain: 'https://a.example', localeByCountry: true }))).toMatchObject({
      detail: { reason: 'invalid_host' },
    })
    expect(await errorOf(decide({ androidHash: 'short', localeByCountry: true }))).toMatchObject({
      detail: { reason: 'invalid_android_hash' },
    })
    expect(await errorOf(administer.setTexts(world.admin, 'app_none', {}))).toMatchObject({ kind: 'not_found' })
    expect((await world.store.read.apps.find(keys.appId))?.texts).toBeUndefined()
  })

  test('a language is added, replaced and taken away; each is a version, and noted', async () => {
    await save({ locale: 'KO' })
    await translate('EN-gb', 'Welcome #{code}')
    await translate('ja', 'ようこそ #{code}')
    await translate('en-GB', 'Hello #{code}')
    expect(await own()).toMatchObject({
      ...{ locale: 'ko', body: WELCOME.body },
      bodies: { 'en-GB': { body: 'Hello #{code}' }, ja: { body: 'ようこそ #{code}' } },
    })
    await translate('ja')
    expect((await own())?.bodies).toEqual({ 'en-GB': { body: 'Hello #{code}' } })
    expect(await world.rows('SELECT version FROM templates ORDER BY version DESC LIMIT 1')).toEqual([{ version: 5 }])
    const entries = await world.store.read.audit.page({ limit: 20 })
    expect(entries.filter(({ action }) => action === 'template.save')).toHaveLength(5)
  })

  test('a text without its placeholders is refused, and so is a language that is not there', async () => {
    await save({ locale: 'ko' })
    expect(await errorOf(translate('en', 'Welcome'))).toMatchObject({
      detail: { param: 'bodies.en', reason: 'code_placeholder_missing' },
    })
    expect(await errorOf(translate('ko', '안녕 #{code}'))).toMatchObject({ detail: { reason: 'language_taken' } })
    expect(await errorOf(translate('fr'))).toMatchObject({ kind: 'not_found' })
    expect(await errorOf(translate('en', 'Welcome #{code}', 'nope'))).toMatchObject({ kind: 'not_found' })
    expect((await own())?.bodies).toBeUndefined()
  })

  test('a built-in template becomes the app’s own when a language is added to it', async () => {
    await translate('pt-BR', 'Seu codigo: #{code}', 'otp_default_kr')
    const template = await own()
    expect(template).toMatchObject({ templateId: 'otp_default_kr', locale: 'ko' })
    expect(Object.keys(template?.bodies ?? {})).toEqual(['en', 'ja', 'zh', 'es', 'de', 'fr', 'pt-BR'])
  })

  test('saved without a word of languages it keeps them, and is refused where they do not fit any more', async () => {
    await save({ locale: 'ko' })
    await translate('en', 'Welcome #{code}')
    await save({ body: '반갑습니다 #{code}' })
    expect(await own()).toMatchObject({
      ...{ body: '반갑습니다 #{code}', locale: 'ko', bodies: { en: { body: 'Welcome #{code}' } } },
    })
    const named = { body: '#{name} #{code}', variables: { name: { required: true } } }
    expect(await errorOf(save(named))).toMatchObject({ detail: { param: 'bodies.en', reason: 'unused_variable' } })
    await save({ ...named, bodies: {} })
    expect((await own())?.bodies).toEqual({})
  })

  test('two who add a language at a time both have their will', async () => {
    await save({ locale: 'ko' })
    await Promise.all([translate('en', 'Welcome #{code}'), translate('ja', 'ようこそ #{code}')])
    expect(Object.keys((await own())?.bodies ?? {}).toSorted()).toEqual(['en', 'ja'])
  })
})
