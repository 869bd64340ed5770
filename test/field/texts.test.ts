/** Letters that a Mac writes in parts, and languages that browsers tell, as public reports have them. */
import { expect, test } from 'bun:test'
import { countryOf } from '../../client/screen/countries'
import { encodeText } from '../../src/domain/message/sms-encoding'
import { BUILT_IN_TEMPLATES, eucKrBytes, render, type Template } from '../../src/domain/message/template'
import * as administer from '../../src/usecases/administer'
import { SMS_URL, World } from '../support/world'

/** xpressengine/xpressengine#966, rime/home#777: KS X 1001 has whole syllables; W3C Charmod: text is composed. */
const NAME = '홍길동'

test('a text of letters in parts is as long as the same in whole letters', () => {
  const [built] = BUILT_IN_TEMPLATES
  const body = '#{name}님, 인증번호 #{code}. Ça a été créé à Orléans: é'
  const template: Template = {
    ...(built as Template),
    body: body.normalize('NFD'),
    variables: { name: { required: true } },
  }
  const text = render(template, { name: NAME.normalize('NFD') }, '482913')
  expect(text).toBe('홍길동님, 인증번호 482913. Ça a été créé à Orléans: é')
  expect(eucKrBytes(text)).toBe(eucKrBytes(text.normalize('NFC')))
})

test('sixty letters with accents in parts are one message', () => {
  const [built] = BUILT_IN_TEMPLATES
  const template = { ...(built as Template), body: `${'é'.repeat(60)} #{code}`.normalize('NFD'), variables: {} }
  expect(encodeText(render(template, {}, '482913'), 0, 'gsm')).toMatchObject({ hasHeader: false, dataCoding: 0 })
})

test('a template and a variable in parts are stored, matched and sent in whole letters', async () => {
  const world = await World.start()
  try {
    const { appId, live: key } = await world.furnish()
    await world.provide('main', ['sms'], SMS_URL, { reports: false })
    const template = {
      ...{ templateId: 'greeting', name: 'Greeting', channelSupport: ['sms' as const] },
      ...{
        body: '#{name}님 #{code}'.normalize('NFD'),
        variables: { name: { required: true, pattern: '^[가-힣]{2,4}$' } },
        providerTemplateCode: 'greeting',
      },
    }
    const saved = await world.run(administer.saveTemplate(world.admin, appId, template))
    expect(saved.body).toBe('#{name}님 #{code}')
    const order = { phoneNumber: '010-2345-6789', purpose: 'login', idempotencyKey: 'k', templateId: 'greeting' }
    const templateVariables = { name: NAME.normalize('NFD') }
    expect((await world.call('rest', 'issue', { ...order, templateVariables }, { key })).status).toBe(200)
    await world.settle()
    expect(world.sms.requests.map(({ text }) => text)).toEqual([`${NAME}님 ${world.sms.lastCode()}`])
  } finally {
    await world.stop()
  }
})

/** leeoniya/uPlot#1053, adobe/react-spectrum#2436: ECMA-402 throws for what is no tag, and browsers say such. */
test.each([
  ['en-US@posix', 'US'],
  ['C', 'US'],
  ['', 'US'],
  ['en_GB', 'US'],
  ['ko-KR.UTF-8', 'KR'],
  ['de-DE,en', 'DE'],
  ['de', 'DE'],
  ['zh-Hant-TW', 'TW'],
])('the language %j of a browser has a country', (language, country) => {
  expect(countryOf(language)).toBe(country)
})
