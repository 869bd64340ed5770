/** What a server renders of the React screen is taken over by the browser as it is. */
import { afterAll, beforeAll, expect, setDefaultTimeout, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { renderToString } from 'react-dom/server'
import { launch, openPage } from '../console/support'
import { HANGS_AFTER_MS } from '../support/until'
import { screen } from './screens/hydrated-page'

setDefaultTimeout(HANGS_AFTER_MS)

let browser: Browser
beforeAll(async () => {
  browser = await launch()
})
afterAll(() => browser?.close())

/** Countries are called by the names that a runtime was made with. */
function renderedElsewhere(): string {
  const names = spyOn(Intl.DisplayNames.prototype, 'of').mockImplementation((code) => `The land of ${code}`)
  try {
    return renderToString(screen)
  } finally {
    names.mockRestore()
  }
}

test('a server that calls countries by other names', async () => {
  const { outputs } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'screens/hydrated-page.tsx')],
    ...{ target: 'browser', define: { 'process.env.NODE_ENV': '"development"' } },
  })
  const script = (await outputs[0]?.text()) ?? ''
  const rendered = renderedElsewhere()
  const html = `<!doctype html><html lang="en"><head><title>Sign up</title><link rel="icon" href="data:,"><script type="module" src="/script.js"></script></head><body>${rendered}</body></html>`
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) =>
      new URL(request.url).pathname === '/script.js'
        ? new Response(script, { headers: { 'content-type': 'text/javascript' } })
        : new Response(html, { headers: { 'content-type': 'text/html; charset=utf-8' } }),
  })
  try {
    const { page, complaints } = await openPage(browser)
    await page.goto(`http://localhost:${server.port}`)
    const country = page.getByRole('button', { name: /^Country: South Korea/ })
    await country.click()
    expect(complaints).toEqual([])
    expect(await page.getByRole('option').count()).toBeGreaterThan(200)
    expect(rendered).not.toContain('The land of')
    await page.getByRole('option', { name: 'Japan' }).click()
    await page.getByLabel('Phone number').fill('090-1234-5678')
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.reload()
    await page.getByText('Sending a code').waitFor()
    await page.locator('[data-part~=country][value=JP]').waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
  } finally {
    await server.stop(true)
  }
})
