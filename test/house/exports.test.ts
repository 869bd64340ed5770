/** What a file exports is used by another one: else it is dead, or of its own file only, where the compiler sees that it is used. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'

const ROOT = join(import.meta.dir, '../..')
const EXPORTED = /^export (?:async )?(?:abstract )?(?:function\*?|const|class) (\w+)/gm

const files = [...new Glob('{src,contract,client,test,bench,deploy}/**/*.{ts,tsx}').scanSync(ROOT), 'build.ts']
const texts = await Promise.all(files.map(async (name) => [name, await Bun.file(join(ROOT, name)).text()] as const))

/** The files that name each word. */
const users = new Map<string, Set<string>>()
for (const [name, text] of texts)
  for (const [word] of text.matchAll(/\w+/g)) users.set(word, (users.get(word) ?? new Set()).add(name))

test('each function, constant and class that src exports is named by another file', () => {
  const unused = texts
    .filter(([name]) => name.startsWith('src/'))
    .flatMap(([name, text]) => [...text.matchAll(EXPORTED)].map(([, exported = '']) => ({ name, exported })))
    .filter(({ exported }) => (users.get(exported)?.size ?? 0) < 2)
  expect(unused).toEqual([])
})
