/** What Homebrew and Nix install by: the archives of the release, with their checksums, and the units as they are in `deploy`. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { originOf } from '../../deploy/release/origin'
import { execute } from '../../deploy/release/programs'
import { SUMS } from '../../deploy/release/sign'
import { TARGETS } from '../../deploy/release/targets'
import { newFolder, ROOT } from '../binary/support'
import { HANGS_AFTER_MS } from '../support/until'
import { madeIn, OURS } from './made'

setDefaultTimeout(HANGS_AFTER_MS)

const { version: VERSION } = originOf(ROOT)
const URL_OF_RELEASE = 'https://example.com/releases/1'
const folder = newFolder()
afterAll(() => folder.remove())
const made = join(folder.path, 'made')
const unpacked = join(folder.path, 'unpacked')
const textOf = (name: string) => readFileSync(join(made, name), 'utf8')

beforeAll(async () => {
  await madeIn(made, { targets: TARGETS, url: URL_OF_RELEASE })
  execute('tar', ['-xzf', join(made, `watchword-${VERSION}-nix.tar.gz`)], { cwd: folder.path })
  mkdirSync(unpacked)
  const archive = join(made, `watchword-${VERSION}-${OURS}.tar.gz`)
  execute('tar', ['-xzf', archive, '--strip-components=1'], { cwd: unpacked })
})

/** The archives that both name, by the address that they have. */
function released(): Map<string, string> {
  const sums = new Map(
    textOf(SUMS)
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)] as const),
  )
  const platforms = ['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64']
  const names = platforms.map((platform) => `watchword-${VERSION}-${platform}.tar.gz`)
  return new Map(names.map((name) => [`${URL_OF_RELEASE}/${name}`, sums.get(name) ?? '']))
}

test('the formula has the version, and each archive with the checksum of the release', () => {
  const formula = textOf('watchword.rb')
  const pairs = [...formula.matchAll(/url "(.+)"\n\s+sha256 "(\w+)"/g)].map(
    ([, url = '', sum = '']) => [url, sum] as const,
  )
  expect(new Map(pairs)).toEqual(released())
  // Each in the block of its platform.
  const places = [...formula.matchAll(/on_(macos|linux|arm|intel) do|-(darwin|linux)-(\w+)\.tar\.gz"/g)]
  expect(places.map(([, block, system, processor]) => block ?? `${system}-${processor}`)).toEqual(
    ['macos', 'arm', 'darwin-arm64', 'intel', 'darwin-x64'].concat([
      'linux',
      'arm',
      'linux-arm64',
      'intel',
      'linux-x64',
    ]),
  )
  expect(formula).toContain(`  version "${VERSION}"\n`)
  expect(formula).not.toMatch(/@[A-Z]/)
})

test('the flake has them with the same checksums, as Nix writes those', () => {
  const { version, archives } = JSON.parse(readFileSync(join(folder.path, 'nix/release.json'), 'utf8'))
  expect(version).toBe(VERSION)
  expect(Object.keys(archives)).toEqual(['x86_64-linux', 'aarch64-linux', 'x86_64-darwin', 'aarch64-darwin'])
  const pairs = Object.values<{ url: string; hash: string }>(archives).map(({ url, hash }) => {
    expect(hash).toStartWith('sha256-')
    return [url, Buffer.from(hash.slice('sha256-'.length), 'base64').toString('hex')] as const
  })
  expect(new Map(pairs)).toEqual(released())
})

test('without one of their platforms there is neither', async () => {
  const some = join(folder.path, 'some')
  await madeIn(some, { targets: TARGETS.filter(({ name }) => name !== 'darwin-x64') })
  expect(readdirSync(some).filter((name) => name.includes('nix') || name.endsWith('.rb'))).toEqual([])
})

test('the package of Nix has the units as they are in deploy, but for the path of the program', () => {
  const [, installPhase = ''] = /installPhase = ''\n(.+?)\n {2}'';/s.exec(textOfNix('package.nix')) ?? []
  const out = join(folder.path, 'out')
  mkdirSync(out)
  execute('bash', ['-euc', `runHook() { :; }\n${installPhase}`], {
    cwd: unpacked,
    env: { out },
  })
  const units = join(out, 'lib/systemd/system')
  expect(readdirSync(units)).toEqual(
    readdirSync(join(ROOT, 'deploy')).filter((name) => /\.(service|socket|timer)$/.test(name)),
  )
  for (const unit of readdirSync(units)) {
    const ours = readFileSync(join(ROOT, 'deploy', unit), 'utf8')
    expect(readFileSync(join(units, unit), 'utf8')).toBe(ours.replaceAll('/usr/local/bin/', `${out}/bin/`))
  }
  expect(readdirSync(join(out, 'bin'))).toEqual(['watchword'])
})

test('the module of NixOS adds to the units, and takes nothing from their protection', () => {
  const settingsOfSystemd = [...textOfNix('module.nix').matchAll(/\b([A-Z][a-z]\w+) = /g)].map(([, name]) => name)
  expect(settingsOfSystemd).toEqual([...['EnvironmentFile', 'LoadCredential', 'ReadWritePaths'], 'ListenStream'])
})

const textOfNix = (name: string) => readFileSync(join(folder.path, 'nix', name), 'utf8')
