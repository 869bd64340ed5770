/** What `watchword licenses` tells is what is in the binary, and may be shipped in it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import satisfies from 'spdx-satisfies'
import { withoutGuideFromSource } from '../../deploy/release/licenses/collect'
import type { Component, LicenseNotice } from '../../src/cli/licenses'
import { HANGS_AFTER_MS } from '../support/until'
import { released } from './compiled'
import { fromSource, newFolder, type Program, ROOT, run } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

/** What a product under Apache-2.0 may carry: licences that ask for a notice, or for nothing. */
const ALLOWED = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
  'Zlib',
]

const folder = newFolder()
afterAll(() => folder.remove())

let binary: Program
let notice: LicenseNotice
const noticeOf = async (program: Program): Promise<LicenseNotice> =>
  JSON.parse((await run(program, 'licenses', '--json')).stdout)
beforeAll(async () => {
  binary = await released(folder.path)
  notice = await noticeOf(binary)
})

const named = ({ name, version }: Pick<Component, 'name' | 'version'>) => `${name}@${version}`

/** Told by another list of the bundler's than the notice is made of: the sources of its source maps. */
async function sourcesOf(entrypoint: string, target: 'bun' | 'browser'): Promise<string[]> {
  const { outputs } = await Bun.build({
    entrypoints: [join(ROOT, entrypoint)],
    target,
    minify: true,
    plugins: [withoutGuideFromSource],
    sourcemap: 'external',
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const maps = await Promise.all(outputs.filter(({ kind }) => kind === 'sourcemap').map((map) => map.json()))
  return maps.flatMap(({ sources }) => sources)
}

describe('the notice', () => {
  test.each([
    ['src/main.ts', 'bun'],
    ['src/console/web/index.html', 'browser'],
    ['src/guide/web/guide.ts', 'browser'],
  ] as const)('has every package that is bundled from %s', async (entrypoint, target) => {
    const sources = await sourcesOf(entrypoint, target)
    const inside = sources.flatMap(
      (path) => /node_modules\/(?:.*node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
    )
    const manifests = [...new Set(inside)].map((path) => Bun.file(join(ROOT, path, 'package.json')).json())
    const bundled = (await Promise.all(manifests)).map(named)
    expect(bundled.length).toBeGreaterThan(entrypoint.includes('guide') ? 0 : 25)
    expect(notice.packages.map(named)).toEqual(expect.arrayContaining(bundled))
  })

  test('has what was built into those before: Vue in the API reference, twice bundled highlighting, hashes', () => {
    const names = notice.packages.map(({ name }) => name)
    const built = ['@scalar/api-reference', '@scalar/themes', 'vue', 'highlight.js', 'internmap', '@noble/hashes']
    expect(names).toEqual(expect.arrayContaining(built))
  })

  test('has each licence in full', () => {
    for (const { name, text } of [notice.program, notice.runtime, ...notice.packages])
      expect([name, text.length > 400 && /copyright|public domain/i.test(text)]).toEqual([name, true])
  })

  test('has no licence that may not be shipped', () => {
    const refused = notice.packages.filter(({ license }) => !satisfies(license, ALLOWED))
    expect(refused.map((one) => `${named(one)}: ${one.license}`)).toEqual([])
  })

  test('has Bun as it is in the binary, and the licences of what Bun links', () => {
    expect(named(notice.runtime)).toBe(`bun@${Bun.version}`)
    for (const part of [
      'JavaScriptCore',
      'boringssl',
      'GNU LESSER GENERAL PUBLIC LICENSE',
      'GNU LIBRARY GENERAL PUBLIC',
    ])
      expect(notice.runtime.text).toContain(part)
  })

  test('is made with the binary: from source it is said how', async () => {
    const { exitCode, stderr } = await run(fromSource(folder.path), 'licenses')
    expect([exitCode, stderr]).toEqual([1, 'The licences are collected when the program is built: bun run build\n'])
  })

  test('is told to people', async () => {
    const { stdout } = await run(binary, 'licenses')
    const [react] = notice.packages.filter(({ name }) => name === 'react')
    expect(stdout).toContain(`react ${react?.version} · MIT\n\n${react?.text}`)
  })

  test('ends without a complaint where somebody reads its first line only', async () => {
    const command = ['sh', '-c', `'${binary.command.join("' '")}' licenses | head -1`]
    const { stdout, stderr } = await run({ ...binary, command })
    expect([stdout.split(' ')[0], stderr]).toEqual(['watchword', ''])
  })
})
