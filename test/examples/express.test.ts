/** The example with Express, whose packages are here anyway, beside the client as it is published. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { createPackageFromTarballData } from '@arethetypeswrong/core'
import { newFolder, ROOT } from '../binary/support'
import { packClient } from '../support/pack-client'
import { HANGS_AFTER_MS } from '../support/until'
import { hold, PROMISES, proofFor } from './promises'
import { commandOf, folderOf, openService, type Service, type Site, start } from './site'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
const place = join(folder.path, 'sign-up')
let service: Service
let site: Site

/** What `npm install` does, without a registry. */
async function install(): Promise<void> {
  await packClient()
  const { dependencies } = await Bun.file(join(place, 'package.json')).json()
  const { '@watchword/client': tarball, ...others } = dependencies
  const packed = await Bun.file(join(folderOf('express-element'), tarball.replace('file:', ''))).bytes()
  const contents = createPackageFromTarballData(packed)
  for (const path of contents.listFiles()) await Bun.write(join(place, path), contents.readFile(path))
  for (const name of Object.keys(others))
    symlinkSync(join(ROOT, 'node_modules', name), join(place, 'node_modules', name))
}

beforeAll(async () => {
  mkdirSync(place)
  for (const name of ['package.json', 'server.mjs', 'pages.mjs', 'public'])
    cpSync(join(folderOf('express-element'), name), join(place, name), { recursive: true })
  await install()
  service = await openService()
  site = await start(service, commandOf('express-element').replace('npm run quickstart', 'npm start'), place)
})
afterAll(async () => {
  await site?.stop()
  await service?.close()
  folder.remove()
})

describe('Express:', () => {
  test.each(Object.entries(PROMISES))('%s', (_, promised) => hold(promised, site))
})

/** The same program, set up otherwise. */
async function signUpAt(settings: string, origin?: string): Promise<Response> {
  const other = await start(service, `OTP_APP_ID=app_… ${settings} node server.mjs`, place)
  try {
    return await fetch(`${other.url}/sign-up`, {
      ...{ method: 'POST', redirect: 'manual', headers: { origin: origin ?? other.url } },
      body: new URLSearchParams({ proof: await proofFor(site) }),
    })
  } finally {
    await other.stop()
  }
}

test('with a live key a test number is nobody', async () => {
  expect((await signUpAt('OTP_PUBLIC_KEY=pk_test_…')).status).toBe(303)
  const { status, headers } = await signUpAt('OTP_PUBLIC_KEY=pk_live')
  expect({ status, cookie: headers.get('set-cookie') }).toEqual({ status: 400, cookie: null })
})

test('without Watchword it says so, and signs nobody in', async () => {
  const { status, headers } = await signUpAt('OTP_URL=http://127.0.0.1:1/v1 OTP_PUBLIC_KEY=pk_test_…')
  expect({ status, cookie: headers.get('set-cookie') }).toEqual({ status: 503, cookie: null })
})

test('over https the cookie goes nowhere else', async () => {
  const origin = 'https://shop.example'
  const { status, headers } = await signUpAt(`APP_ORIGIN=${origin} OTP_PUBLIC_KEY=pk_test_…`, origin)
  expect(status).toBe(303)
  expect(headers.get('set-cookie')).toMatch(/^__Host-session=[\w-]{43}; .*Path=\/; .*HttpOnly; Secure; SameSite=Lax$/)
})
