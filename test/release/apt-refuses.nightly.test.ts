/** The Debian repository of a release, by apt itself: what is signed is installed, and what was changed is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { generateKey } from 'openpgp'
import { aptRepository, KEYRING, readAptKey } from '../../deploy/release/apt'
import { assertSame } from '../../deploy/release/check'
import { debianVersion } from '../../deploy/release/debian'
import { originOf } from '../../deploy/release/origin'
import { execute } from '../../deploy/release/programs'
import { SUMS, sha256 } from '../../deploy/release/sign'
import { TARGETS } from '../../deploy/release/targets'
import { newFolder, ROOT, run } from '../binary/support'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { ARCHITECTURE, BUILT_AT, madeIn } from './made'

setDefaultTimeout(HANGS_AFTER_MS)

const { version: VERSION } = originOf(ROOT)
const ARCHIVE = `watchword-${VERSION}-apt.tar.gz`
const folder = newFolder()
const at = (...names: string[]) => join(folder.path, ...names)
const made = at('made')
const served = at('apt')
const aptKey = at('key.asc')
const targets = TARGETS.filter(({ debian }) => debian !== undefined)
const debs = targets.map(({ debian }) => `watchword_${debianVersion(VERSION)}_${debian}.deb`)

const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: async ({ url }) => {
    const file = Bun.file(join(served, decodeURIComponent(new URL(url).pathname)))
    return (await file.exists()) ? new Response(file) : new Response(null, { status: 404 })
  },
})
afterAll(async () => {
  await server.stop(true)
  folder.remove()
})

/** As old as a key is that was made before anything it signs. */
async function writeKey(path: string): Promise<void> {
  const date = new Date(BUILT_AT.getTime() - 86_400_000)
  const { privateKey } = await generateKey({ userIDs: { name: 'Releases' }, date, format: 'armored' })
  writeFileSync(path, privateKey)
}

beforeAll(async () => {
  await writeKey(aptKey)
  await madeIn(made, { targets, aptKey })
})

/** A machine that has what the package depends on, and the repository among its sources. */
let machine = ''
beforeEach(() => {
  machine = at('machine')
  for (const path of [machine, served]) rmSync(path, { recursive: true, force: true })
  execute('tar', ['-xzf', join(made, ARCHIVE)], { cwd: folder.path })
  for (const path of [
    'etc/apt/sources.list.d',
    'etc/apt/apt.conf.d',
    'etc/apt/preferences.d',
    'var/lib/dpkg',
    'var/lib/apt/lists/partial',
    ARCHIVES,
  ])
    mkdirSync(join(machine, path, 'partial'), { recursive: true })
  const installed = ['libc6', 'passwd'].map((name) =>
    [`Package: ${name}`, 'Status: install ok installed', `Architecture: ${ARCHITECTURE}`, 'Version: 2.36', ''].join(
      '\n',
    ),
  )
  writeFileSync(join(machine, 'var/lib/dpkg/status'), installed.join('\n'))
  writeFileSync(
    join(machine, 'etc/apt/sources.list.d/watchword.sources'),
    [
      'Types: deb',
      `URIs: ${server.url.origin}`,
      'Suites: stable',
      'Components: main',
      `Signed-By: ${at('keyring.asc')}`,
    ]
      .concat('')
      .join('\n'),
  )
  writeFileSync(at('keyring.asc'), readFileSync(join(served, KEYRING)))
  // Read before everything that this machine says, so that none of it counts.
  const settings = { Dir: machine, 'Dir::State::status': join(machine, 'var/lib/dpkg/status'), ...SETTINGS }
  writeFileSync(
    join(machine, 'apt.conf'),
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  )
})

const ARCHIVES = 'var/cache/apt/archives'
const SETTINGS = {
  'APT::Architecture': ARCHITECTURE,
  'APT::Architectures': ARCHITECTURE,
  'APT::Sandbox::User': 'root',
  'APT::Update::Error-Mode': 'any',
  'Acquire::Languages': 'none',
  'Acquire::Retries': '0',
}

const apt = (program: 'apt-get' | 'apt-cache', ...args: string[]) =>
  run({
    command: [program, ...args],
    cwd: folder.path,
    env: { PATH: process.env.PATH, LC_ALL: 'C', APT_CONFIG: join(machine, 'apt.conf') },
  })
const download = () => apt('apt-get', 'install', '--yes', '--download-only', 'watchword')
/** Every file of the repository whose path the pattern has. */
const change = (pattern: string, by: (path: string) => void) => {
  const paths = [...new Glob(pattern).scanSync(served)]
  expect(paths).not.toEqual([])
  for (const path of paths) by(join(served, path))
}

test('apt believes the key that it was given, and gets the package that was released', async () => {
  expect(await apt('apt-get', 'update')).toMatchObject({ exitCode: 0 })
  const { stdout } = await apt('apt-cache', 'policy', 'watchword')
  expect(stdout).toContain(`Candidate: ${debianVersion(VERSION)}\n`)
  expect(await download()).toMatchObject({ exitCode: 0 })
  const [got = ''] = readdirSync(join(machine, ARCHIVES)).filter((name) => name.endsWith('.deb'))
  const [ours = ''] = debs.filter((name) => name.endsWith(`_${ARCHITECTURE}.deb`))
  expect(await sha256(join(machine, ARCHIVES, got))).toBe(await sha256(join(made, ours)))
})

describe('apt refuses', () => {
  test('a Release that somebody changed', async () => {
    change('dists/stable/InRelease', (path) =>
      writeFileSync(path, readFileSync(path, 'utf8').replace('Releases of Watchword', 'Releases of Watchwords')),
    )
    const { exitCode, stderr } = await apt('apt-get', 'update')
    expect([exitCode, stderr]).toEqual([100, expect.stringContaining('is not signed')])
  })

  test('one that another key has signed', async () => {
    await writeKey(at('other.asc'))
    writeFileSync(at('keyring.asc'), (await readAptKey(at('other.asc'))).toPublic().armor())
    const { exitCode, stderr } = await apt('apt-get', 'update')
    expect([exitCode, stderr]).toEqual([100, expect.stringContaining('is not signed')])
  })

  test('lists that are not the ones that were signed', async () => {
    change('**/binary-*/**/*', (path) => appendFileSync(path, '\n'))
    const { exitCode, stderr } = await apt('apt-get', 'update')
    expect([exitCode, stderr]).toEqual([100, expect.stringContaining('unexpected size')])
  })

  test('a package that is not the one in the lists', async () => {
    expect(await apt('apt-get', 'update')).toMatchObject({ exitCode: 0 })
    change('pool/**/*.deb', (path) => {
      const bytes = readFileSync(path)
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      writeFileSync(path, bytes)
    })
    const { exitCode, stderr } = await download()
    expect([exitCode, stderr]).toEqual([100, expect.stringContaining('Hash Sum mismatch')])
    expect(readdirSync(join(machine, ARCHIVES)).filter((name) => name.endsWith('.deb'))).toEqual([])
  })

  test('to go back to an older release, although its key has signed it', async () => {
    const key = await readAptKey(aptKey)
    const newer = new Date(BUILT_AT.getTime() + 60_000)
    for (const { name, data = '' } of await aptRepository(made, debs.slice(0, 1), key, newer)) put(name, data)
    await apt('apt-get', 'update')
    execute('tar', ['-xzf', join(made, ARCHIVE)], { cwd: folder.path })
    await apt('apt-get', 'update')
    const [kept = ''] = [...new Glob('**/*_InRelease').scanSync(join(machine, 'var/lib/apt/lists'))]
    expect(readFileSync(join(machine, 'var/lib/apt/lists', kept), 'utf8')).toContain(
      'Date: Sat, 31 Jan 2026 12:01:00 UTC',
    )
  })

  const put = (name: string, data: string | Uint8Array) => {
    mkdirSync(dirname(join(served, name)), { recursive: true })
    writeFileSync(join(served, name), data)
  }
})

test('it is one file of the release, with the same bytes when it is made again, and there is none without a key', async () => {
  expect(readFileSync(join(made, SUMS), 'utf8')).toContain(`  ${ARCHIVE}\n`)
  await madeIn(at('again'), { targets, aptKey })
  await assertSame(made, at('again'))
  await madeIn(at('without'), { targets })
  expect(readdirSync(at('without'))).not.toContain(ARCHIVE)
})

test('a file that is no key is said to be none', async () => {
  expect((await errorOf(readAptKey(join(ROOT, 'LICENSE')))).message).toContain('WATCHWORD_APT_KEY')
})
