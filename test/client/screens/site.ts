/** Pages with a verification screen, in a real browser, against a real server in test mode. Only loopback is reached. */
import { basename, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { newFolder, programIn, runJson, Server } from '../../binary/support'
import { launch, type Opened, openPage } from '../../console/support'

/** Who shows the screen: each is a page of this folder. */
export const KINDS = ['element', 'react'] as const
export type Kind = (typeof KINDS)[number]

/** How a page is to be: attributes of the element, and of `<html>`. */
export interface Asked {
  lang?: string
  dir?: 'ltr' | 'rtl'
  country?: string
  countries?: string
  action?: string
  challenge?: string
  channels?: string
  consent?: string
  theme?: string
  preset?: string
  /** Numbers are written as people of the country do. */
  format?: string
}

export interface Site {
  server: Server
  /** A `pk_test_` key. */
  key: string
  browser: Browser
  /** `prepare`: what is done to the page before it is there. */
  open(kind: Kind, asked?: Asked, prepare?: (page: Page) => Promise<unknown>): Promise<Opened>
  close(): Promise<void>
}

export async function openSite(): Promise<Site> {
  const folder = newFolder()
  const program = programIn(folder.path)
  const { appId } = await runJson(program, 'app', 'create', 'demo')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'pk', '--mode', 'test')
  const [server, browser, scripts] = await Promise.all([Server.start(program), launch(), bundle()])
  const pages = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname, searchParams } = new URL(request.url)
      const script = scripts.get(basename(pathname))
      if (script !== undefined) return new Response(script, { headers: { 'content-type': 'text/javascript' } })
      if (pathname === '/page.css') return new Response(STYLE, { headers: { 'content-type': 'text/css' } })
      return new Response(html(pathname, searchParams), { headers: HEADERS })
    },
  })
  return {
    ...{ server, key, browser },
    async open(kind, asked = {}, prepare = async () => {}) {
      const opened = await openPage(browser)
      await prepare(opened.page)
      const query = new URLSearchParams({ key, url: `${server.url}/v1`, purpose: 'signup', lang: 'en', country: 'KR' })
      for (const [name, value] of Object.entries(asked)) query.set(name, value)
      await opened.page.goto(`http://localhost:${pages.port}/${kind}?${query}`)
      return opened
    },
    async close() {
      await browser.close()
      await server.stop('SIGKILL')
      await pages.stop(true)
      folder.remove()
    },
  }
}

/** As strict as a careful page is. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; script-src 'self' https://challenges.cloudflare.com; connect-src *; style-src 'self'; require-trusted-types-for 'script'",
}

/** A page in a light room and a dark one. */
const STYLE = `
  :root { color-scheme: light dark; background: Canvas; color: CanvasText; font: 1rem/1.5 system-ui, sans-serif }
  body { margin: 1rem }
`

const html = (path: string, asked: URLSearchParams) => `<!doctype html>
<html lang="${asked.get('lang')}" dir="${asked.get('dir') ?? 'ltr'}">
<meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/page.css">
<title>Sign up</title>
<main><h1>Sign up</h1><form></form><div id="place"></div></main>
<script type="module" src="${path}-page.js"></script>
</html>`

async function bundle(): Promise<Map<string, string>> {
  const { outputs } = await Bun.build({
    entrypoints: KINDS.map((kind) => join(import.meta.dir, `${kind}-page`)),
    ...{ target: 'browser', splitting: true, define: { 'process.env.NODE_ENV': '"development"' } },
  })
  return new Map(
    await Promise.all(outputs.map(async (output) => [basename(output.path), await output.text()] as const)),
  )
}
