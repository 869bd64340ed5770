/** Every page of `docs` is in the guide, can be found, and leads nowhere that is not there. */
import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import MiniSearch from 'minisearch'
import { errors } from '../../contract/error'
import { REASONS } from '../../contract/reason'
import { OPERATOR_REASONS } from '../../src/domain/shared/reason'
import { renderGuide } from '../../src/guide/render'
import { GUIDE_PREFIX, SEARCH_OPTIONS, type Section } from '../../src/guide/shared'

const DOCS = join(import.meta.dir, '../../docs')

const { pages, menu, searchIndex } = renderGuide()
const addressOf = (name: string) => (name === 'index' ? GUIDE_PREFIX : `${GUIDE_PREFIX}/${name}`)
const anchors = new Map(pages.map(({ name, headings }) => [addressOf(name), new Set(headings.map(({ id }) => id))]))

test('every page of docs has its place in the menu, once', () => {
  const files = readdirSync(DOCS).filter((file) => file.endsWith('.md') && file !== 'README.md')
  const linked = menu.flatMap(({ links }) => links.map(({ href }) => href))
  expect(linked.toSorted()).toEqual(files.map((file) => `${GUIDE_PREFIX}/${file.replace('.md', '')}`).toSorted())
})

test.each(pages.map(({ name, html }) => [name, html]))(
  'every link of %s leads to a page and a heading that exist',
  (name, html) => {
    const hrefs = [...html.matchAll(/ href="([^"]*)"/g)].map(([, href = '']) => href)
    const lost = hrefs.filter((href) => {
      if (/^https?:/.test(href)) return false
      const [path = '', anchor] = href.split('#')
      const found = anchors.get(path === '' ? addressOf(name) : path)
      return found === undefined || (anchor !== undefined && !found.has(anchor))
    })
    expect(lost).toEqual([])
  },
)

test('the address that ends the message of an error leads to its section', () => {
  const words = [
    ...Object.keys(errors).map((code) => code.toLowerCase()),
    ...Object.keys(REASONS),
    ...Object.keys(OPERATOR_REASONS),
  ]
  const found = anchors.get(`${GUIDE_PREFIX}/errors`)
  expect(words.filter((word) => !found?.has(word))).toEqual([])
})

test('no page loads anything', () => {
  const loaded = pages.flatMap(({ html }) => [...html.matchAll(/<(?:img|script|link|iframe|video)\b[^>]*>/g)])
  expect(loaded).toEqual([])
})

test('a search finds a heading by a word of it, also half typed or mistyped', () => {
  const index = MiniSearch.loadJSON<Section>(searchIndex, SEARCH_OPTIONS)
  const first = (words: string) => String(index.search(words)[0]?.id)
  expect(first('kubernetes')).toContain(`${GUIDE_PREFIX}/`)
  for (const words of ['litestream', 'litestr', 'litestraem'])
    expect(first(words)).toStartWith(`${GUIDE_PREFIX}/backups#`)
})
