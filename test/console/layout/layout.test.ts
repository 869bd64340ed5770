/** Every page of the console, in every state a newcomer meets: nothing looks wrong. `looks.ts` says in which widths. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import type { Browser } from 'playwright-core'
import { HANGS_AFTER_MS } from '../../support/until'
import { launch } from '../support'
import { thoroughness } from './looks'
import { measuringScript } from './measure'
import { OUTSIDE, PAGES, STATES } from './states'
import { FOREIGN_FLAG, Visitor } from './visitor'

setDefaultTimeout(HANGS_AFTER_MS)

const howToLook = thoroughness()
const LOOKED_AT = STATES.flatMap((state) => {
  const how = howToLook(state)
  return how ? [{ state, ...how }] : []
})
const LANGUAGES = [...new Set(LOOKED_AT.flatMap(({ languages }) => languages))]

let browser: Browser
let visitors: Visitor[] = []

beforeAll(async () => {
  browser = await launch(FOREIGN_FLAG)
  const script = await measuringScript()
  visitors = await Promise.all(LANGUAGES.map((language) => Visitor.arrive(browser, language, script)))
})
afterAll(async () => {
  await browser?.close()
  for (const visitor of visitors) await visitor.leave()
})

describe('nothing looks wrong:', () => {
  test.each(LOOKED_AT.map((one) => [one.state.name, one] as const))('%s', async (_, { state, languages, looks }) => {
    const those = visitors.filter(({ language }) => languages.includes(language))
    const found = await Promise.all(those.map((visitor) => visitor.look(state, looks)))
    expect(found.flat()).toEqual([])
  })
})

const WEB = join(import.meta.dir, '../../../src/console/web')
const read = (path: string) => Bun.file(join(WEB, path)).text()

describe('nothing is left out:', () => {
  test('every address of the router', async () => {
    const router = await read('router.tsx')
    const routes = [...router.matchAll(/(?:\bpath: |\bpage(?:Of\w+)?\()'([^']+)'/g)].map(([, path = '']) => path)
    expect(routes.length).toBeGreaterThan(20)
    const elsewhere = '$'
    expect(routes.sort()).toEqual([...Object.keys(PAGES), ...Object.keys(OUTSIDE), elsewhere].sort())
  })

  test('everything that opens over a page', async () => {
    const missing: string[] = []
    for (const path of new Glob('{frame,pages}/**/*.tsx').scanSync(WEB)) {
      const openers = (await read(path)).match(OPENS)?.length ?? 0
      const states = STATES.filter(({ opener }) => opener === path).length
      if (states < openers) missing.push(`${path} opens ${openers} things, ${states} are looked at`)
    }
    expect(missing).toEqual([])
  })

  test('and every name stands for one state', () => {
    expect(new Set(STATES.map(({ name }) => name)).size).toBe(STATES.length)
  })
})

/** As the console writes it. */
const OPENS = /modals\.open\w*\(|confirmByName\(|<(?:Modal|Drawer|Menu|Select|MultiSelect|Popover|HoverCard)\s/g
