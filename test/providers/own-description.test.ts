/** An operator brings a carrier that nobody has seen, by a file and the command line alone. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endingOf } from '../../src/cli/output'
import { createProgram } from '../../src/cli/program'
import { SECRET } from '../store/sample'
import { scratch } from '../support/laid-out'
import { ACME } from './acme'

const folder = mkdtempSync(join(scratch, 'watchword-own-description-'))
const before = { ...process.env }
const received: Array<{ path: string; form: object; signature: string | null }> = []
const vendor = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    received.push({ path: new URL(request.url).pathname, form, signature: request.headers.get('x-acme-signature') })
    return form.to === '821012345678'
      ? Response.json({ ok: true, message: { id: 'm-1' } })
      : Response.json({ ok: false, error: { code: 'E2' } })
  },
})

const file = (name: string, content: object) => {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

beforeAll(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith('WATCHWORD_')) delete process.env[name]
  Object.assign(process.env, { WATCHWORD_DATA: join(folder, 'data'), WATCHWORD_SECRET: SECRET, NO_COLOR: '1' })
})
afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  process.exitCode = 0
  await vendor.stop(true)
  rmSync(folder, { recursive: true, force: true })
})

async function say(...words: string[]): Promise<string> {
  let printed = ''
  const writing = spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += text
    return true
  })
  try {
    await (await createProgram({ isJson: words.includes('--json'), words })).parseAsync(words, { from: 'user' })
  } catch (error) {
    printed += endingOf(error).message
  } finally {
    writing.mockRestore()
    process.exitCode = 0
  }
  return printed
}

const acme = file('acme.json', ACME)
const settings = ['account=77', 'key=acme-key', `apiBase=${vendor.url.origin}`].flatMap((one) => ['--set', one])

test('it is set up, tried, explained and listed', async () => {
  await say('app', 'create', 'shop')
  expect(await say('provider', 'types', acme)).toContain('https://acme.example/docs')
  expect(await say('provider', 'set', 'main', '--type', acme, '--channel', 'sms', ...settings)).toContain(
    'Provider main (acme) serves sms.',
  )
  expect(await say('provider', 'test', 'main', '--to', '+821012345678')).toContain('The carrier calls it m-1.')
  expect(received[0]).toMatchObject({ path: '/v1/77/messages', form: { to: '821012345678' } })
  expect(received[0]?.signature).toMatch(/^77:[0-9a-f]{64}$/)
  expect(await say('provider', 'test', 'main', '--to', '+821099990000')).toContain('refused')
  expect(await say('provider', 'test', 'main', '--to', '+821099990000')).toContain('E2: no such number')
  expect(await say('provider', 'list')).toMatch(/main +acme +sms +healthy/)
})

test('what is wrong with settings or file is said, and where', async () => {
  const set = (type: string, ...more: string[]) =>
    say('provider', 'set', 'other', '--type', type, '--channel', 'sms', ...more)
  expect(await set(acme, '--set', 'account=x', '--set', 'key=k')).toContain('config.account: must be digits')
  expect(await set(acme, '--set', 'account')).toContain('--set: must be name=value')
  const wrong = (name: string, changes: object) => set(file(name, { ...ACME, ...changes }))
  expect(await wrong('a.json', { fields: { account: { titel: 'x' } } })).toContain('fields.account')
  expect(await wrong('b.json', { codes: { E1: ['maybe', 'x'] } })).toContain('codes.E1.0')
  expect(await wrong('c.json', { auth: { type: 'bearer', token: '{{tokn}}' } })).toContain(
    'no such placeholder: {{tokn}}',
  )
  expect(await wrong('e.json', { auth: { type: 'oauth' } })).toContain('auth.type must be one of none, basic, bearer')
  expect(await wrong('f.json', { codes: { E1: 'never' } })).toContain('codes.E1 must be an array')
  expect(await wrong('g.json', { type: '7elks' })).toContain('type must begin with a lower-case letter')
  const { sms } = ACME.send
  const form = { to: '{{to|digts}}' }
  const misspelt = { sms: { ...sms, request: { ...sms?.request, form } } }
  expect(await wrong('h.json', { send: misspelt })).toContain('send.sms.request no such filter: {{to|digts}}')
  writeFileSync(join(folder, 'i.json'), '{')
  expect(await set(file('named.json', { ...ACME, type: 'twilio' }))).toContain(
    'type is one that is here already: twilio',
  )
  const send = { sms: { ...ACME.send.sms, id: 'data..id' } }
  expect(await set(file('path.json', { ...ACME, send }))).toContain('send.sms.id must be a dotted path')
  expect(await set(join(folder, 'i.json'))).toContain(`--type: ${join(folder, 'i.json')}: not valid JSON`)
  expect(await wrong('d.json', { surplus: 1 })).toContain('surplus')
  expect(await set(join(folder, 'missing.json'))).toContain('missing.json')
})
