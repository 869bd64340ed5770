/** A style belongs to its component: what one page looks like cannot depend on a name that another one chose. */
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { basename, dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Glob } from 'bun'
import { bundleConsole } from '../../src/console/bundle'
import { HANGS_AFTER_MS } from '../support/until'

setDefaultTimeout(HANGS_AFTER_MS)

const WEB = join(import.meta.dir, '../../src/console/web')

const read = async (pattern: string) =>
  Promise.all(
    [...new Glob(pattern).scanSync(WEB)].map(async (path) => ({ path, text: await Bun.file(join(WEB, path)).text() })),
  )

const sheets = await read('**/*.css')
const modules = sheets.filter(({ path }) => path.endsWith('.module.css'))
const code = await read('**/*.{ts,tsx}')

/** What stands before each block of declarations. */
const selectorsOf = (css: string) =>
  [...css.replace(/\/\*.*?\*\//gs, '').matchAll(/([^{};]+)\{/g)]
    .map(([, selector = '']) => selector.trim())
    .filter((selector) => !selector.startsWith('@'))

const classesIn = (selectors: readonly string[]) =>
  new Set(
    selectors.flatMap((selector) => [...selector.matchAll(/\.(-?[_a-zA-Z][\w-]*)/g)].map(([, name = '']) => name)),
  )

const sorted = (names: Iterable<string>) => [...names].sort()

/** The classes that the component beside a module takes from it. */
function usedBeside(path: string): Set<string> {
  const component = code.find((file) => file.path === path.replace(/\.module\.css$/, '.tsx'))?.text ?? ''
  const name = importsOf(component).find(({ from }) => from === `./${basename(path)}`)?.name
  return new Set([...component.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, used = '']) => used))
}

const importsOf = (text: string) =>
  [...text.matchAll(/import (?:(\w+) from )?'([^']+\.css)'/g)].map(([, name, from = '']) => ({ name, from }))

describe('a style belongs to its component', () => {
  test('there are sheets to look at', () => {
    expect(modules.length).toBeGreaterThan(5)
    expect(code.length).toBeGreaterThan(100)
  })

  test('a sheet that is no module knows elements, and of classes only the ones Mantine names for it', () => {
    const named = sheets
      .filter((sheet) => !modules.includes(sheet))
      .flatMap(({ text }) => sorted(classesIn(selectorsOf(text))))
    expect(named.filter((name) => !name.startsWith('mantine-'))).toEqual([])
  })

  test('no component writes the name of a class, nor looks for one', () => {
    const written = code.flatMap(({ path, text }) =>
      [...text.matchAll(/\bclassNames?\s*(?:=|:)\s*(?:\{[^}]*?)?["'`].*/g)].map(([line]) => `${path}: ${line}`),
    )
    expect(written).toEqual([])
    expect(code.filter(({ text }) => /classList|querySelector\w*\(['"`]\./.test(text)).map(({ path }) => path)).toEqual(
      [],
    )
  })

  test('no module reaches out of itself', () => {
    const reaching = modules.flatMap(({ path, text }) =>
      selectorsOf(text)
        .filter((selector) => /:global|\[class/.test(selector) || classesIn([selector]).size === 0)
        .map((selector) => `${path}: ${selector}`),
    )
    expect(reaching).toEqual([])
    expect(modules.filter(({ text }) => /composes|@import/.test(text)).map(({ path }) => path)).toEqual([])
  })

  test.each(modules.map(({ path }) => path))(
    '%s is used by the component beside it, all of it, and by no other',
    (path) => {
      const { text } = modules.find((module) => module.path === path) ?? { text: '' }
      const users = code.filter((file) =>
        importsOf(file.text).some(({ from }) => join(dirname(file.path), from) === path),
      )
      expect(users.map((file) => file.path)).toEqual([path.replace(/\.module\.css$/, '.tsx')])
      expect(sorted(usedBeside(path))).toEqual(sorted(classesIn(selectorsOf(text))))
    },
  )

  test('the one sheet of the first page holds every class under the name its component knows it by, each another', async () => {
    const files = await bundleConsole('quick')
    const texts = files.map(({ name, gzip }) => ({ name, text: new TextDecoder().decode(gunzipSync(gzip)) }))
    const page = texts.find(({ name }) => name === 'index.html')?.text ?? ''
    const linked = [...page.matchAll(/href="\/console\/assets\/([^"]+\.css)"/g)].map(([, name]) => name)
    expect(linked).toHaveLength(1)
    const sheet = texts.find(({ name }) => name === linked[0])?.text ?? ''
    const scripts = texts.filter(({ name }) => name.endsWith('.js')).map(({ text }) => text)
    const names = modules.flatMap(({ text }) => sorted(classesIn(selectorsOf(text))))
    const bundled = [...new Set(names)].flatMap((name) => [
      ...new Set(scripts.flatMap((text) => text.match(new RegExp(`(?<=\\b${name}:")${name}_[\\w-]+(?=")`, 'g')) ?? [])),
    ])
    expect(bundled).toHaveLength(names.length)
    const held = classesIn(selectorsOf(sheet))
    expect(bundled.filter((name) => !held.has(name))).toEqual([])
  })
})
