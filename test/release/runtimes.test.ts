/** Bun for other platforms is what it was when it was chosen, or nothing is built. */
import { afterAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { packTar } from 'modern-tar'
import { runtimeFor } from '../../deploy/release/runtimes'
import { TARGETS, type Target } from '../../deploy/release/targets'
import { newFolder, ROOT } from '../binary/support'
import { errorOf } from '../support/error-of'

const folder = newFolder()
afterAll(() => folder.remove())

const packed = gzipSync(
  await packTar([
    { header: { name: 'package/package.json', size: 2 }, body: '{}' },
    { header: { name: 'package/bin/bun', size: 5 }, body: 'a Bun' },
  ]),
)
const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`

/** As npm has left it here before. */
function keptAs(name: string): string {
  const path = join(folder.path, name)
  mkdirSync(path, { recursive: true })
  const file = join(path, `bun-other-${Bun.version}.tgz`)
  writeFileSync(file, packed)
  return path
}

const other: Target = { name: 'linux-arm64', runtime: { name: '@oven/bun-other', integrity }, run: 'never' }

test('the package that was chosen is unpacked, and its program can be started', async () => {
  const path = await runtimeFor(other, keptAs('right'))
  expect(readFileSync(path, 'utf8')).toBe('a Bun')
  expect(statSync(path).mode & 0o777).toBe(0o755)
})

test('another one is refused, and not kept', async () => {
  const [known] = TARGETS
  if (!known) throw new Error('nothing is released')
  const path = keptAs('wrong')
  const wrong = { ...other, runtime: { ...other.runtime, integrity: known.runtime.integrity } }
  expect((await errorOf(runtimeFor(wrong, path))).message).toContain(integrity)
  await runtimeFor(wrong, keptAs('wrong')).catch(() => undefined)
  expect(existsSync(join(path, `bun-other-${Bun.version}.tgz`))).toBe(false)
})

test('each platform has its own, and they are of the Bun that everything else is run with', () => {
  expect(new Set(TARGETS.map(({ runtime }) => runtime.integrity)).size).toBe(TARGETS.length)
  const { devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  expect(devDependencies['bun-types']).toBe(Bun.version)
})
