/** One thing, one word: a type name is declared once, and words that only this house knew do not come back. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { FORMER_NAMES } from './former-words'

const ROOT = join(import.meta.dir, '../..')
const files = ['src', 'contract'].flatMap((folder) =>
  [...new Glob('**/*.{ts,tsx}').scanSync(join(ROOT, folder))].map((name) => `${folder}/${name}`),
)
const sources = await Promise.all(files.map(async (name) => ({ name, text: await Bun.file(join(ROOT, name)).text() })))

const TYPE = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm
const DECLARED = /^(?:export )?(?:async )?(?:abstract )?(?:interface|type|class|enum|function|const) (\w+)/gm

const declaredBy = (pattern: RegExp) =>
  sources.flatMap(({ name, text }) => [...text.matchAll(pattern)].map(([, word = '']) => ({ word, name })))

test('a type name is declared in one file only', () => {
  const places = Map.groupBy(declaredBy(TYPE), ({ word }) => word)
  const several = [...places].flatMap(([word, found]) => {
    const names = new Set(found.map(({ name }) => name))
    return names.size > 1 ? [`${word}: ${[...names].join(', ')}`] : []
  })
  expect(several).toEqual([])
})

test('a word that only this house knew does not come back', () => {
  const back = declaredBy(DECLARED).filter(({ word }) => Object.hasOwn(FORMER_NAMES, word))
  expect(back.map(({ word, name }) => `${name}: ${word}, write ${FORMER_NAMES[word]}`)).toEqual([])
})
