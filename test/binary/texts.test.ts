/** `app texts`, and the languages of a template, on the command line. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { HANGS_AFTER_MS } from '../support/until'
import { runHere } from './in-process'
import { type Json, newFolder, programIn, run, runJson } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const program = programIn(folder.path)
let appId = ''

beforeAll(async () => {
  appId = (await runJson(program, 'app', 'create', 'shop')).appId
})
afterAll(folder.remove)

const texts = async (...args: string[]): Promise<Json> => (await runJson(program, 'app', 'texts', appId, ...args)).texts
const template = (command: string, ...args: string[]): Promise<Json> =>
  runJson(program, 'template', command, 'welcome', '--app', appId, ...args)

test('texts are plain until something is decided; what is not named stays, and an option without a value takes away', async () => {
  expect(await texts()).toEqual({ localeByCountry: false })
  await texts('--web-otp-domain', 'App.Example.com', '--android-hash', 'FA+9qCX9VSu')
  const all = { webOtpDomain: 'app.example.com', androidHash: 'FA+9qCX9VSu', localeByCountry: true }
  expect(await texts('--locale-by-country', 'on')).toEqual(all)
  expect(await texts('--android-hash')).toEqual({ webOtpDomain: 'app.example.com', localeByCountry: true })
  expect(await texts()).toEqual({ webOtpDomain: 'app.example.com', localeByCountry: true })
})

test('a template is translated, shown, and said in that language no more', async () => {
  await template('set', '--body', '#{name}님, #{code}', '--variable', 'name', '--locale', 'ko')
  const file = join(folder.path, 'ja.txt')
  writeFileSync(file, '#{name}さん #{code}\n')
  const saved = await template('translate', '--locale', 'ja', '--body', `@${file}`, '--provider-code', 'W_JA')
  expect(saved.bodies).toEqual({ ja: { body: '#{name}さん #{code}', providerTemplateCode: 'W_JA' } })
  expect((await run(program, 'template', 'list', '--app', appId)).stdout).toContain('ko, ja')
  expect(await template('preview', '--locale', 'ja-JP', '--value', 'name=Kim')).toEqual({
    ...{ text: 'Kimさん 123456\n@app.example.com #123456', bytes: 39, messageType: 'SMS' },
    ...{ segments: 1, encoding: 'UCS-2', alimtalk: 'Kimさん 123456' },
  })
  expect((await template('preview', '--value', 'name=Kim')).text).toStartWith('Kim님')
  expect((await template('translate', '--locale', 'ja', '--remove')).bodies).toEqual({})
  expect((await template('preview', '--locale', 'ja', '--value', 'name=Kim')).text).toStartWith('Kim님')
})

test('a text has the ids of its registration in India', async () => {
  const inEnglish = ['--locale', 'en', '--body', '#{name}: #{code}']
  const saved = await template('translate', ...inEnglish, '--dlt-entity-id', '1201', '--dlt-template-id', '1107')
  expect(saved.bodies.en).toEqual({ body: '#{name}: #{code}', dlt: { entityId: '1201', templateId: '1107' } })
  const own = ['--body', '#{name}님, #{code}', '--variable', 'name']
  expect((await template('set', ...own, '--dlt-template-id', '1108')).dlt).toEqual({ templateId: '1108' })
  const { templates } = await runJson(program, 'template', 'list', '--app', appId)
  expect(templates).toMatchObject([{ dlt: { templateId: '1108' }, bodies: { en: saved.bodies.en } }])
  expect((await template('set', ...own)).dlt).toBeUndefined()
  expect((await template('translate', ...inEnglish)).bodies.en.dlt).toBeUndefined()
})

test('a built-in template may be looked at', async () => {
  const { stdout } = await run(program, 'template', 'preview', 'otp_default_kr', '--app', appId, '--locale', 'en')
  expect(stdout).toContain('Your verification code is 123456.')
  expect(stdout).toContain('@app.example.com #123456')
  expect(stdout).toContain('SMS: 75 bytes of EUC-KR, an SMS has 90. Outside Korea 1 × GSM-7.')
})

test.each([
  ['an address for a domain', ['app', 'texts', '--web-otp-domain', 'https://a.example'], 1],
  ['a hash that is none', ['app', 'texts', '--android-hash', 'short'], 1],
  ['a state that is none', ['app', 'texts', '--locale-by-country', 'maybe'], 2],
  ['a DLT id that is no number', ['template', 'set', '--body', '#{code}', '--dlt-entity-id', '12a'], 1],
  ['an empty DLT id', ['template', 'set', '--body', '#{code}', '--dlt-template-id', ''], 1],
  [
    'a DLT id of a text that is taken',
    ['template', 'translate', '--locale', 'en', '--remove', '--dlt-entity-id', '1'],
    2,
  ],
  ['a translation without a text', ['template', 'translate', '--locale', 'en'], 2],
  ['a translation both given and taken', ['template', 'translate', '--locale', 'en', '--body', 'x', '--remove'], 2],
  ['a translation without the code', ['template', 'translate', '--locale', 'en', '--body', '#{name}'], 1],
  ['a language that is none', ['template', 'translate', '--locale', 'English', '--body', '#{name} #{code}'], 1],
  ['a language that is not there', ['template', 'translate', '--locale', 'fr', '--remove'], 1],
  ['a value without a name', ['template', 'preview', '--value', 'Kim'], 2],
  ['no value where one is needed', ['template', 'preview'], 1],
] as Array<[string, string[], number]>)('%s is refused', async (_, [group = '', command = '', ...args], code) => {
  const target = group === 'app' ? [appId] : ['welcome', '--app', appId]
  const { exitCode, stdout, stderr } = await runHere(program, group, command, ...target, ...args)
  expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
  expect(stderr.length).toBeGreaterThan(10)
})
