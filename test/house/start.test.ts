/** What a server needs before it listens, and what waits: schemas take longer to make than all else that a start loads. */
import { expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const ROOT = join(import.meta.dir, '../..')
const transpiler = new Bun.Transpiler({ loader: 'ts' })

const fileAt = (path: string) =>
  [path, `${path}.ts`, join(path, 'index.ts')].find((file) => existsSync(file) && statSync(file).isFile())

/** What is loaded with a file, at once: neither types nor what is loaded when it is needed. Packages by their names. */
async function loadedWith(file: string, found = new Set<string>()): Promise<Set<string>> {
  if (found.has(file)) return found
  found.add(file)
  if (!file.endsWith('.ts')) return found
  for (const { path, kind } of transpiler.scanImports(await Bun.file(file).text())) {
    if (kind !== 'import-statement') continue
    const next = path.startsWith('.') ? fileAt(resolve(file, '..', path)) : undefined
    if (next) await loadedWith(next, found)
    else found.add(path)
  }
  return found
}

test.each([
  'contract/index.ts',
  'contract/error.ts',
  'contract/event.ts',
  'contract/issue.ts',
  'src/domain/message/variable-pattern.ts',
])('a server listens before it loads %s', async (late) => {
  const loaded = await loadedWith(join(ROOT, 'src/cli/serve.ts'))
  const names = [...loaded].map((file) => relative(ROOT, file))
  expect(names).toContain('src/http/routes.ts')
  expect(names).not.toContain(late)
})

test.each([
  ...['croner', 'fast-xml-parser', 'ipaddr.js', 'jsonc-parser', 'libphonenumber-js/max/es6', 'pino', 're2js'],
  ...['node:child_process', 'node:dns/promises', 'node:net', 'node:os', 'node:readline/promises', 'node:util'],
  ...['node:worker_threads', 'node:zlib'],
])('nor does a server load %s before', async (late) => {
  const loaded = await loadedWith(join(ROOT, 'src/cli/program.ts'))
  await loadedWith(join(ROOT, 'src/cli/serve.ts'), loaded)
  expect([...loaded]).toContain('node:crypto')
  expect([...loaded]).not.toContain(late)
})
