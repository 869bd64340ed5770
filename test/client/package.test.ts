/** The package as it would be published: unpacked beside nothing else, as whoever installs it has it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import typescript5 from 'typescript5'
import { sampleEvent } from '../../contract/event'
import { newSecret, signatureHeaders } from '../../src/domain/webhooks/signature'
import { newFolder, programIn, ROOT, run, runJson, Server } from '../binary/support'
import { changedFiles } from '../support/changed-files'
import { isNightly } from '../support/depth'
import { packClient } from '../support/pack-client'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const installed = join(folder.path, 'node_modules/@watchword/client')
const env = { PATH: process.env.PATH ?? '' }
let tarball: Uint8Array
let server: Server

beforeAll(async () => {
  await packClient()
  const { version } = await Bun.file(join(ROOT, 'package.json')).json()
  tarball = await Bun.file(join(ROOT, `dist/watchword-client-${version}.tgz`)).bytes()
  const contents = createPackageFromTarballData(tarball)
  for (const path of contents.listFiles()) await Bun.write(join(folder.path, path), contents.readFile(path))
  server = await Server.start(programIn(folder.path), '--data', join(folder.path, 'data'))
})
afterAll(async () => {
  await server?.stop()
  folder.remove()
})

/** By the compiler's folder here: what it calls its ways to find a package, and what files are called there. */
const ALL_MODES = [
  ['typescript5', 'commonjs', 'node10', ['ts']],
  ['typescript', 'nodenext', 'nodenext', ['cts', 'mts']],
  ['typescript5', 'node16', 'node16', ['cts', 'mts']],
  ['typescript5', 'esnext', 'bundler', ['ts']],
  ['typescript', 'esnext', 'bundler', ['ts']],
] as const
const isChanged = changedFiles()?.some((path) => /^(client|contract)\//.test(path)) ?? true
/** The strictest of the newest compiler, and the oldest way where the client changed; the others lie between. */
const MODES = isNightly ? ALL_MODES : ALL_MODES.slice(isChanged ? 0 : 1, 2)

const manifest = () => JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
const REACT = './react'
/** What can be imported by who has nothing else: `@watchword/client`, `@watchword/client/webhook`, … */
const entries = () =>
  Object.keys(manifest().exports)
    .filter((path) => path !== './package.json' && path !== REACT)
    .map((path) => join('@watchword/client', path))

/** What is bundled has names of others in it, and their texts. */
const IS_BUNDLED = /^(testing\/service|screen\/formats)\.c?js$/

describe('whoever installs it', () => {
  test('finds every entry, as an ES module and as CommonJS, with types of the same kind', async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false })
    expect(messages).toEqual([])
    const checked = await checkPackage(createPackageFromTarballData(tarball))
    if (!checked.types) throw new Error('There are no types')
    expect(Object.keys(checked.entrypoints).sort()).toEqual([...Object.keys(manifest().exports)].sort())
    expect(checked.problems).toEqual([])
  })

  test('installs nothing else, and needs no runtime but the web platform', async () => {
    expect(Object.keys(manifest()).filter((field) => /dependencies$|scripts|bin/i.test(field))).toEqual([
      'peerDependencies',
    ])
    const { peerDependencies, peerDependenciesMeta } = manifest()
    expect({ peerDependencies, peerDependenciesMeta }).toEqual({
      peerDependencies: { react: '>=18' },
      peerDependenciesMeta: { react: { optional: true } },
    })
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.c?[jt]s$/.test(name),
    )
    expect(files).toContain('index.d.cts')
    for (const name of files) {
      const text = await Bun.file(join(installed, name)).text()
      // What is said in comments is no code.
      const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
      const imported = [...code.matchAll(/(?:from |import |import\(|require\()["']([^"']+)/g)].map(([, path]) => path)
      const foreign = name.startsWith('react/') ? ['react', 'react/jsx-runtime'] : []
      expect(imported.filter((path = '') => !/^\.\.?\//.test(path) && !foreign.includes(path))).toEqual([])
      if (IS_BUNDLED.test(name)) continue
      expect(code).not.toMatch(/\b(Buffer|process|Bun|Deno|NodeJS)\b/)
      if (name.endsWith('.js')) expect(code).not.toMatch(/\b(require|module|exports)\b/)
    }
  })

  test('runs it in Node and in Bun, imported or required', async () => {
    const listing = `console.log(JSON.stringify(entries.map((entry) => Object.keys(entry).filter((name) => name !== 'default' && name !== '__esModule' && name !== 'module.exports').sort())))`
    const scripts = {
      'all.mjs': `const entries = await Promise.all(${JSON.stringify(entries())}.map((entry) => import(entry)))\n${listing}`,
      'all.cjs': `const entries = ${JSON.stringify(entries())}.map((entry) => require(entry))\n${listing}`,
    }
    const seen = new Set<string>()
    for (const [name, script] of Object.entries(scripts)) {
      await Bun.write(join(folder.path, name), script)
      for (const runtime of ['node', process.execPath]) {
        const { stdout, stderr } = await run({ command: [runtime, name], cwd: folder.path, env })
        expect(stderr).toBe('')
        seen.add(stdout)
      }
    }
    expect(seen.size).toBe(1)
    expect([...seen][0]).toContain('createOtpClient')
  })

  test('imports nothing of React, unless it imports what is for React', async () => {
    const isOfReact = (name: string) => name.startsWith('react/')
    const files = readdirSync(installed, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.(js|ts)$/.test(name),
    )
    expect(files.filter(isOfReact)).not.toEqual([])
    for (const name of files.filter((each) => !isOfReact(each)))
      expect(await Bun.file(join(installed, name)).text()).not.toMatch(/["'](?:\.\.?\/)*react(?:\/|["'])/)
  })

  test('tests its own code without a server, in Node and in Bun, imported or required', async () => {
    const story = `
      const otp = createTestClient({ now: 0 })
      const order = { phoneNumber: '010-0000-0003', purpose: 'p', idempotencyKey: 'k' }
      otp.failNext('TIMEOUT')
      const why = (error) => error instanceof WatchwordError ? error.code : String(error)
      otp.issue(order).catch(why).then(async (code) => {
        const { issueId } = await otp.issue(order)
        await otp.advance(1_000)
        const { providerOutcomeAmbiguous } = await otp.status({ issueId })
        const { verified } = await otp.verify({ issueId, code: '000000' })
        const left = Object.getOwnPropertyNames(globalThis).filter((name) => name.includes('zod'))
        console.log(JSON.stringify({ code, issueId, providerOutcomeAmbiguous, verified, left }))
      })`
    const names = [
      ['createTestClient', '@watchword/client/testing'],
      ['WatchwordError', '@watchword/client'],
    ]
    await Bun.write(
      join(folder.path, 'own.mjs'),
      names.map(([name, path]) => `import { ${name} } from '${path}'`).join('\n') + story,
    )
    await Bun.write(
      join(folder.path, 'own.cjs'),
      names.map(([name, path]) => `const { ${name} } = require('${path}')`).join('\n') + story,
    )
    for (const name of ['own.mjs', 'own.cjs'])
      for (const runtime of ['node', process.execPath]) {
        const { stdout, stderr } = await run({ command: [runtime, name], cwd: folder.path, env })
        expect(stderr).toBe('')
        // Whoever has zod, too, keeps its own settings.
        expect(JSON.parse(stdout)).toEqual({
          ...{ code: 'TIMEOUT', providerOutcomeAmbiguous: true, verified: true, left: [] },
          issueId: 'abcdefab-cdef-7abc-8def-abcdefabc001',
        })
      }
  })

  test('has the licences of all that is bundled', async () => {
    const licenses = await Bun.file(join(installed, 'testing/service.licenses.txt')).text()
    for (const name of ['zod', 'libphonenumber-js', 're2js', 'ipaddr.js', '@orpc/contract'])
      expect(licenses).toMatch(new RegExp(`^${name} [\\d.]+ · MIT$`, 'm'))
    expect(licenses).toContain('Permission is hereby granted')
    const formats = await Bun.file(join(installed, 'screen/formats.licenses.txt')).text()
    expect(formats).toMatch(/^libphonenumber-js [\d.]+ · MIT$/m)
  })

  test('issues and verifies in Node', async () => {
    const program = programIn(folder.path)
    const data = ['--data', join(folder.path, 'data')]
    const { appId } = await runJson(program, 'app', 'create', 'node', ...data)
    const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'test', ...data)
    await Bun.write(
      join(folder.path, 'verify.cjs'),
      `const { createOtpClient, newIdempotencyKey } = require('@watchword/client')
      const otp = createOtpClient({ baseUrl: ${JSON.stringify(`${server.url}/v1`)}, apiKey: ${JSON.stringify(key)} })
      otp.issue({ phoneNumber: '010-0000-0000', purpose: 'node', idempotencyKey: newIdempotencyKey() })
        .then(({ issueId }) => otp.verify({ issueId, code: '000000' }))
        .then((verdict) => console.log(JSON.stringify(verdict)))`,
    )
    const { exitCode, stdout, stderr } = await run({ command: ['node', 'verify.cjs'], cwd: folder.path, env })
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(JSON.parse(stdout)).toMatchObject({
      verified: true,
      mode: 'test',
      serverTime: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
    })
  })
})

describe('whoever has React, too', () => {
  const place = join(folder.path, 'with-react')
  beforeAll(async () => {
    mkdirSync(join(place, 'node_modules/@types'), { recursive: true })
    cpSync(join(folder.path, 'node_modules/@watchword'), join(place, 'node_modules/@watchword'), { recursive: true })
    for (const name of ['react', '@types/react', 'csstype'])
      cpSync(join(ROOT, 'node_modules', name), join(place, 'node_modules', name), { recursive: true })
  })

  test('runs it in Node and in Bun, imported or required', async () => {
    const listing = `console.log(typeof react.useVerification, typeof react.PhoneVerification)`
    await Bun.write(join(place, 'all.mjs'), `import * as react from '@watchword/client/react'\n${listing}`)
    await Bun.write(join(place, 'all.cjs'), `const react = require('@watchword/client/react')\n${listing}`)
    for (const name of ['all.mjs', 'all.cjs'])
      for (const runtime of ['node', process.execPath]) {
        const { stdout, stderr } = await run({ command: [runtime, name], cwd: place, env })
        expect({ stdout, stderr }).toEqual({ stdout: 'function function\n', stderr: '' })
      }
  })

  test('is rendered on a server, where nothing begins', async () => {
    cpSync(join(ROOT, 'node_modules/react-dom'), join(place, 'node_modules/react-dom'), { recursive: true })
    cpSync(join(ROOT, 'node_modules/scheduler'), join(place, 'node_modules/scheduler'), { recursive: true })
    await Bun.write(
      join(place, 'server.mjs'),
      `import { createElement } from 'react'
      import { renderToString } from 'react-dom/server'
      import { PhoneVerification } from '@watchword/client/react'
      import { en } from '@watchword/client/texts'
      const asked = () => { throw new Error('asked') }
      const storage = { getItem: asked, setItem: asked, removeItem: asked }
      const props = { transport: { issue: asked, verify: asked }, purpose: 'p', country: 'KR', texts: en, storage }
      console.log(renderToString(createElement(PhoneVerification, props)))`,
    )
    const { stdout, stderr } = await run({ command: ['node', 'server.mjs'], cwd: place, env })
    expect(stderr).toBe('')
    expect(stdout).toContain('Phone number')
  })

  test.each(MODES)(
    'has its types: %s, module %s, resolution %s, %p',
    async (compiler, module, resolution, extensions) => {
      const consumer = join(place, `${compiler}-${resolution}`)
      const files = extensions.map((extension) => `screen.${extension}x`.replace(/([cm])tsx$/, '$1ts'))
      for (const name of files) await Bun.write(join(consumer, name), SCREEN)
      const tsc = ['node', join(ROOT, 'node_modules', compiler, 'bin/tsc')]
      const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022', '--types', 'react']
      const how = [...options, '--jsx', 'react-jsx', '--module', module, '--moduleResolution', resolution]
      const { exitCode, stdout } = await run({ command: [...tsc, ...how, ...files], cwd: consumer, env })
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    },
  )
})

describe('its size, as a page loads it', () => {
  /** Minified and gzipped: what is loaded at once, and what later, each. */
  async function sizesOf(script: string): Promise<number[]> {
    const external = ['react', 'react/jsx-runtime']
    const entry = join(folder.path, 'page.mjs')
    await Bun.write(entry, script)
    const { outputs } = await Bun.build({
      entrypoints: [entry],
      target: 'browser',
      minify: true,
      splitting: true,
      external,
    })
    // Parts that several of the others share may stand before it.
    const entryFirst = outputs.toSorted((one) => (one.kind === 'entry-point' ? -1 : 1))
    return Promise.all(entryFirst.map(async (output) => Bun.gzipSync(await output.text()).length))
  }

  test.each([
    ['all of the client', `export * from '@watchword/client'`, 6_000],
    ['what issues and verifies', `export { createOtpClient } from '@watchword/client'`, 3_000],
    [
      'the flow, with what issues and verifies',
      `export { createOtpClient } from '@watchword/client'\nexport { createFlow } from '@watchword/client/flow'`,
      6_500,
    ],
    ['one language of thirty', `export { ko, say } from '@watchword/client/texts'`, 1_500],
    ['the screen for React, with the flow', `export { PhoneVerification } from '@watchword/client/react'`, 10_000],
    // With all that is known of numbers, patterns and inputs; no page has it.
    ['test mode for tests', `export { createTestClient } from '@watchword/client/testing'`, 180_000],
    ['what verifies webhooks', `export { verifyWebhook } from '@watchword/client/webhook'`, 2_000],
    [
      'what is imported for nothing',
      ['', '/flow', '/texts', '/webhook', '/testing'].map((path) => `import '@watchword/client${path}'`).join('\n'),
      100,
    ],
  ])('%s', async (_, script, limit) => {
    const [size] = await sizesOf(script)
    expect(size).toBeLessThan(limit)
  })

  /** The largest is how numbers are written, which comes with the first focus. Lists and the client follow at once. */
  const FORMATS = 40_000
  const FOLLOWS = 5_000

  test.each([
    ['the element, with its language, until it can be seen and typed in', 'element', 15_000],
    ['the screen for React, without what follows', 'react', 10_000],
  ])('%s', async (_, entry, limit) => {
    const [size = 0, ...later] = await sizesOf(`export * from '@watchword/client/${entry}'`)
    const [formats = 0, ...others] = later.sort((one, other) => other - one)
    // That it is there at all: nothing else of the package does anything by being imported.
    expect(size).toBeGreaterThan(5_000)
    const languages = entry === 'element' ? others.filter((each) => each < 1_600) : []
    expect(size + Math.max(0, ...languages)).toBeLessThan(limit)
    expect(formats).toBeLessThan(FORMATS)
    expect(Math.max(...others)).toBeLessThan(FOLLOWS)
  })
})

const SECRET = newSecret(Buffer.alloc(32, 7))
const EVENT = sampleEvent('otp.verified')
const BODY = JSON.stringify(EVENT)
const sign = (timestampSec = Math.floor(Date.now() / 1_000)) =>
  signatureHeaders({ eventId: EVENT.id, body: BODY, secrets: [SECRET], timestampSec })

describe('verifying webhooks', () => {
  test('is one file that imports nothing', async () => {
    const built = await Bun.file(join(installed, 'webhook.js')).text()
    const { imports, exports } = new Bun.Transpiler({ loader: 'js' }).scan(built)
    expect(imports).toEqual([])
    expect(exports.sort()).toEqual(['WebhookVerificationError', 'verifyWebhook', 'verifyWebhookSignature'])
    expect(built).not.toMatch(/\b(globalThis|window)\b/)
  })

  test('is done in Node, from either entry, with one error class', async () => {
    const headers = sign()
    const [own, standard] = ['X-', 'webhook-'].map((prefix) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith(prefix))),
    )
    const requests = [
      { headers: own, body: BODY },
      { headers: standard, body: BODY },
      { headers, body: `${BODY} ` },
      { headers: standard, body: `${BODY} ` },
      { headers: sign(1_768_469_400), body: BODY },
      { headers: { ...headers, 'X-Watchword-Timestamp': 'now' }, body: BODY },
      { headers: {}, body: BODY },
    ]
    await Bun.write(
      join(folder.path, 'receive.mjs'),
      `import { verifyWebhook } from '@watchword/client'
      import { WebhookVerificationError } from '@watchword/client/webhook'
      const why = (error) => error instanceof WebhookVerificationError ? error.reason : String(error)
      const outcomes = ${JSON.stringify(requests)}.map(({ headers, body }) =>
        verifyWebhook({ headers: new Headers(headers), body: Buffer.from(body), secret: ${JSON.stringify(SECRET)} }).catch(why))
      console.log(JSON.stringify(await Promise.all(outcomes)))`,
    )
    const { stdout, stderr } = await run({ command: ['node', 'receive.mjs'], cwd: folder.path, env })
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([
      EVENT,
      EVENT,
      'bad_signature',
      'bad_signature',
      'expired',
      'bad_timestamp',
      'missing_header',
    ])
  })
})

const CALLS = `import { createOtpClient, type Reason, WatchwordError } from '@watchword/client'
  const otp = createOtpClient({ baseUrl: 'x', apiKey: 'y', fetch: (request: Request) => fetch(request) })
  export async function login(): Promise<'MISMATCH' | 'EXPIRED' | 'NOT_FOUND' | 'REPLACED' | 'MAX_ATTEMPTS' | 'ALREADY_VERIFIED' | undefined> {
    const issued = await otp.issue({ phoneNumber: '1', purpose: 'p', idempotencyKey: 'k', channel: 'alimtalk' })
    const id: string = issued.issueId
    // @ts-expect-error an idempotency key is required
    await otp.issue({ phoneNumber: '1', purpose: 'p' })
    // @ts-expect-error no such channel
    await otp.issue({ phoneNumber: '1', purpose: 'p', idempotencyKey: 'k', channel: 'pigeon' })
    for await (const { overallStatus } of otp.eachIssue({ limit: 10 })) {
      // @ts-expect-error no such status
      if (overallStatus === 'imagined') return undefined
    }
    return (await otp.verify({ issueId: id, code: '000000' })).reasonCode
  }
  export const isUnknown = (error: WatchwordError) => error.reason === ('unknown_template' satisfies Reason)`

const FLOW = `import { createOtpClient } from '@watchword/client'
  import { createFlow, type FlowState, type FlowTransport, type FlowVerdict } from '@watchword/client/flow'
  import { ko, say, type Texts } from '@watchword/client/texts'
  const otp = createOtpClient({ baseUrl: 'x', apiKey: 'y' })
  const direct = createFlow({ transport: otp, purpose: 'p', storage: sessionStorage })
  export const answered = (): string | undefined => {
    const state = direct.getSnapshot()
    return state.status === 'verified' ? state.answer?.mode : state.text && say(ko, state.text)
  }
  interface Session extends FlowVerdict { token: string }
  const post = async <T,>(path: string, body: object, signal: AbortSignal): Promise<T> => {
    const response = await fetch(path, { method: 'POST', body: JSON.stringify(body), signal })
    if (!response.ok) throw await response.json()
    return response.json() as Promise<T>
  }
  const backend: FlowTransport<Session> = {
    issue: (order, { signal }) => post('/start', order, signal),
    verify: ({ code }, { signal }) => post('/verify', { code }, signal),
  }
  const flow = createFlow({ transport: backend, purpose: 'p' })
  export const shown = (state: FlowState<Session> = flow.getSnapshot()): string => {
    switch (state.status) {
      case 'idle': case 'sending': return state.phoneNumber
      case 'awaiting_code': return String(state.resendInMs + state.expiresInMs)
      case 'verifying': return String(state.expiresInMs)
      case 'verified': return state.answer?.token ?? ''
      case 'locked': case 'failed': return state.reason
    }
  }
  // @ts-expect-error only once it is verified
  flow.getSnapshot().answer
  // @ts-expect-error no such status
  flow.on('imagined', () => {})
  flow.on('locked', ({ resendInMs }) => console.log(resendInMs.toFixed()))
  export const texts: Texts = { ...ko, verified: 'ok' }
  // @ts-expect-error no such text
  export const wrong: Texts = { ...ko, imagined: 'ok' }`

const ELEMENT = `import { define, type FormatPhoneNumber, WatchwordVerify } from '@watchword/client/element'
  const screen = document.createElement('watchword-verify') as WatchwordVerify
  const format: FormatPhoneNumber = (typed, country) => country + typed
  screen.format = format
  screen.texts = { verified: 'ok' }
  // @ts-expect-error no such text
  screen.texts = { imagined: 'ok' }
  screen.transport = { issue: async () => ({ expiresAt: '', queuedAt: '' }), verify: async ({ code }) => ({ verified: code === '' }) }
  screen.addEventListener('verified', ({ detail }) => console.log(detail.phoneNumber.length, detail.issueId))
  screen.addEventListener('failed', ({ detail }) => console.log(detail.reason.length))
  screen.addEventListener('statechange', ({ detail }) => console.log(detail.can.send))
  screen.addEventListener('click', ({ clientX }) => console.log(clientX))
  // @ts-expect-error no such detail
  screen.addEventListener('verified', ({ detail }) => detail.imagined)
  define('my-verify')
  export const value: string = screen instanceof WatchwordVerify ? screen.value : ''`

const TESTING = `import { createTestClient, type FailureCode, type TestClient } from '@watchword/client/testing'
  import type { OtpClient } from '@watchword/client'
  import { createFlow } from '@watchword/client/flow'
  const otp: TestClient = createTestClient({ now: new Date(0), resendAfterMs: 30_000, retries: { attempts: 2 } })
  export const given: OtpClient = otp
  export const flow = createFlow({ transport: otp, purpose: 'p', clock: otp.clock })
  const code: FailureCode = 'TIMEOUT'
  otp.failNext(code, { operation: 'verify', carriedOut: true })
  // @ts-expect-error no such failure
  otp.failNext('IMAGINED')
  // @ts-expect-error no such call
  otp.delayNext(1_000, { operation: 'imagined' })
  export const later = async (): Promise<string> => {
    await otp.advance(1_000)
    return (await otp.status({ issueId: 'i' })).deliveryStatus
  }`

const SCREEN = `import { createElement } from 'react'
  import { createOtpClient } from '@watchword/client'
  import { PhoneVerification, useVerification, type FormatPhoneNumber } from '@watchword/client/react'
  import { ko } from '@watchword/client/texts'
  const transport = createOtpClient({ baseUrl: 'x', apiKey: 'y' })
  const format: FormatPhoneNumber = (typed, country) => country + typed
  const props = { transport, purpose: 'p', country: 'KR', texts: ko, format }
  export const screen = createElement(PhoneVerification, { ...props, onFailed: ({ reason }) => console.log(reason.length) })
  // @ts-expect-error texts are needed
  export const silent = createElement(PhoneVerification, { transport, purpose: 'p', country: 'KR' })
  export function useMode(): string {
    const { state, send } = useVerification({ transport, purpose: 'p' })
    void send('1')
    // @ts-expect-error only once it is verified
    console.log(state.answer)
    return state.status === 'verified' ? (state.answer?.mode ?? '') : state.phoneNumber
  }`

const RECEIVER = (
  specifier: string,
) => `import { type OtpEvent, verifyWebhook, WebhookVerificationError } from '${specifier}'
  export async function receive(): Promise<'missing_header' | 'bad_timestamp' | 'expired' | 'bad_signature' | 'bad_body'> {
    const event: OtpEvent = await verifyWebhook({ body: new Uint8Array(1), headers: new Headers(), secret: ['a', 'b'] })
    if (event.type === 'otp.verified') {
      const attempts: number = event.data.attempts
      // @ts-expect-error not in this event
      event.data.to
      console.log(attempts)
    }
    if (event.type === 'otp.failed') console.log(event.data.error.code.toUpperCase())
    // @ts-expect-error no such event
    if (event.type === 'otp.imagined') console.log(event)
    // @ts-expect-error a parsed body
    await verifyWebhook({ body: { id: 'e' }, headers: { 'x-a': ['b'], c: undefined }, secret: '' })
    return new WebhookVerificationError('bad_body', '').reason
  }`

describe('its types', () => {
  test.each(MODES)(
    'are whole and catch mistakes: %s, module %s, resolution %s, %p',
    async (compiler, module, resolution, extensions) => {
      const sources = {
        calls: CALLS,
        flow: FLOW,
        element: ELEMENT,
        testing: TESTING,
        receiver: RECEIVER('@watchword/client/webhook'),
        either: RECEIVER('@watchword/client'),
        all: entries()
          .map((entry, index) => `export * as entry${index} from '${entry}'`)
          .join('\n'),
      }
      const consumer = join(folder.path, `${compiler}-${resolution}`)
      const files: string[] = []
      for (const [name, source] of Object.entries(sources))
        for (const extension of extensions) {
          files.push(`${name}.${extension}`)
          await Bun.write(join(consumer, `${name}.${extension}`), source)
        }
      const tsc = ['node', join(ROOT, 'node_modules', compiler, 'bin/tsc')]
      const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022']
      const how = [...options, '--module', module, '--moduleResolution', resolution]
      const { exitCode, stdout } = await run({ command: [...tsc, ...how, ...files], cwd: consumer, env })
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
    },
  )

  test('are those of the contract', async () => {
    const names = ['IssueInput', 'IssueOutput', 'VerifyInput', 'VerifyOutput', 'ReasonCode', 'Reason', 'StatusInput']
      .concat(['StatusOutput', 'ListIssuesInput', 'ListIssuesOutput', 'GetIssueInput', 'IssueProjection', 'Balance'])
      .concat(['ListCreditLedgerInput', 'ListCreditLedgerOutput', 'LedgerEntry', 'TemplateList', 'GetTemplateInput'])
      .concat(['Template', 'EventType', 'OtpEvent', "OtpEventOf<'otp.failed'>"])
    const own = await Bun.file(join(ROOT, 'client/types.ts')).text()
    for (const [, name = ''] of own.matchAll(/export type (\w+) =/g)) expect(names).toContain(name)
    const compared = join(ROOT, 'dist/compared.ts')
    await Bun.write(
      compared,
      `import type * as Own from '../client/types'
      import type * as Written from './client/types.d.ts'
      type Flat<T> = T extends (infer E)[] ? Flat<E>[] : T extends object ? { [K in keyof T]: Flat<T[K]> } : T
      type Same<A, B> = (<T>() => T extends Flat<A> ? 1 : 2) extends <T>() => T extends Flat<B> ? 1 : 2 ? true : false
      ${names.map((name, index) => `export const same${index}: Same<Own.${name}, Written.${name}> = true`).join('\n')}
      // @ts-expect-error: they are compared
      export const other: Same<Own.StatusInput, Written.VerifyInput> = true`,
    )
    await Bun.write(
      join(ROOT, 'dist/compared.json'),
      JSON.stringify({ extends: '../tsconfig.json', include: ['compared.ts'] }),
    )
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
    const { exitCode, stdout } = await run({ command: ['node', tsc, '-p', 'dist/compared.json'], cwd: ROOT, env })
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '' })
  })

  test('say in an editor what each field is', () => {
    const index = join(installed, 'index.d.ts')
    const program = typescript5.createProgram([index], { types: [] })
    const checker = program.getTypeChecker()
    const source = program.getSourceFile(index)
    const exported = source && checker.getSymbolAtLocation(source)?.exports?.get('IssueInput' as typescript5.__String)
    if (!exported) throw new Error('IssueInput is not exported')
    const fields = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(exported)))
    expect(fields.map(({ name }) => name)).toContain('templateVariables')
    for (const field of fields) {
      const said = typescript5.displayPartsToString(field.getDocumentationComment(checker))
      const tags = field.getJsDocTags(checker).map(({ name }) => name)
      expect(said !== '' || tags.includes('deprecated')).toBe(true)
    }
  })
})
