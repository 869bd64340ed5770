/** The pages of docs/client.md, as they stand there, in a real browser. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../binary/support'
import { openPage } from '../console/support'
import { blocksOf } from '../docs/pages'
import { HANGS_AFTER_MS } from '../support/until'
import { openSite, type Site } from './screens/site'

setDefaultTimeout(HANGS_AFTER_MS)

/** Within the project, whose packages a bundler finds from there. */
const FOLDER = join(ROOT, 'dist/docs-pages')
let site: Site
beforeAll(async () => {
  site = await openSite()
})
afterAll(async () => {
  await site?.close()
  rmSync(FOLDER, { recursive: true, force: true })
})

/** A file of the page, with the reader's own key and server in it. */
function fileOf(name: string): string {
  const block = blocksOf('docs/client.md').find(({ marks }) => marks.file === name)
  if (!block) throw new Error(`${name} is not in docs/client.md`)
  return block.text.replace('http://127.0.0.1:8787', site.server.url).replace('pk_test_…', site.key)
}

/** As a bundler makes it, which finds the package. */
async function bundled(name: string, script: string): Promise<string> {
  const entry = join(FOLDER, name)
  const own = script.replace(/@watchword\/client/g, join(ROOT, 'client'))
  await Bun.write(
    entry,
    own.replace(/'(react[^']*)'/g, (_, of: string) => `'${Bun.resolveSync(of, ROOT)}'`),
  )
  const { outputs } = await Bun.build({ entrypoints: [entry], target: 'browser' })
  return (await outputs[0]?.text()) ?? ''
}

/** Serves a page and its script, and keeps what is posted to it. */
function serve(html: string, script: string) {
  const posted: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      if (request.method === 'POST') posted.push(await request.text())
      const isScript = new URL(request.url).pathname === '/script.js'
      return new Response(isScript ? script : html, {
        headers: { 'content-type': isScript ? 'text/javascript' : 'text/html; charset=utf-8' },
      })
    },
  })
  return { posted, url: `http://localhost:${server.port}/`, stop: () => server.stop(true) }
}

const MODULE = /<script type="module">([\s\S]*?)<\/script>/

test('ten lines with the element: a form is sent once the number is verified, with the proof', async () => {
  const html = fileOf('sign-up.html')
  const script = await bundled('sign-up.js', MODULE.exec(html)?.[1] ?? '')
  const { posted, url, stop } = serve(html.replace(MODULE, '<script type="module" src="/script.js"></script>'), script)
  const { page } = await openPage(site.browser)
  const said: string[] = []
  page.on('console', (message) => said.push(message.text()))
  await page.goto(url)
  await page.getByLabel('Phone number').fill('010-0000-0000')
  await page.getByRole('button', { name: 'Create account' }).click()
  expect(posted).toEqual([])
  await page.getByLabel('Phone number').press('Enter')
  await page.getByLabel('Verification code').fill('000000')
  await page.getByText('Your phone number is verified.').waitFor()
  expect(said).toEqual(['+82 10 0000 0000'])
  await page.getByRole('button', { name: 'Create account' }).click()
  await page.waitForURL(`${url}account`)
  expect(posted).toHaveLength(1)
  expect(posted[0]).toMatch(/^proof=[\w-]+\.[\w-]+\.[\w-]{86}$/)
  await stop()
})

test('ten lines with React', async () => {
  const mount = `
    import { createRoot } from 'react-dom/client'
    createRoot(document.body).render(<SignUp goOn={(issueId) => { document.title = issueId }} />)`
  const script = await bundled('sign-up.tsx', fileOf('sign-up.tsx') + mount)
  const { url, stop } = serve('<!doctype html><body></body><script type="module" src="/script.js"></script>', script)
  const { page } = await openPage(site.browser)
  await page.goto(url)
  await page.getByLabel('Phone number').fill('010-0000-0000')
  await page.getByLabel('Phone number').press('Enter')
  await page.getByLabel('Verification code').fill('000000')
  await page.getByText('Your phone number is verified.').waitFor()
  expect(await page.title()).not.toBe('')
  await stop()
})
