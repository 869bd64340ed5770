/** What `bun run release` makes: named, summed, signed, told what it is made of, and the same when it is made again. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'
import { unzipSync } from 'fflate'
import { unpackTar } from 'modern-tar'
import type { Contents } from '../../build'
import { tarGz } from '../../deploy/release/archive'
import { assertSame } from '../../deploy/release/check'
import { debianVersion } from '../../deploy/release/debian'
import { originOf } from '../../deploy/release/origin'
import { execute } from '../../deploy/release/programs'
import { provenanceName } from '../../deploy/release/provenance'
import { SIGNATURE, SIGNER, SUMS, sha256, signSums, verifySums } from '../../deploy/release/sign'
import { TARGETS } from '../../deploy/release/targets'
import { VERSION as SOURCE } from '../../src/domain/operations/version'
import { compile } from '../binary/compiled'
import { newFolder, ROOT, run, runJson } from '../binary/support'
import { isNightly } from '../support/depth'
import { errorOf } from '../support/error-of'
import { HANGS_AFTER_MS } from '../support/until'
import { ARCHITECTURE, BUILT_AT, madeIn, OURS, STAND_IN } from './made'

setDefaultTimeout(HANGS_AFTER_MS)

const folder = newFolder()
afterAll(() => folder.remove())
const made = join(folder.path, 'release')
const { version: VERSION } = originOf(ROOT)
const archive = `watchword-${VERSION}-${OURS}.tar.gz`

let contents: Contents
beforeAll(async () => {
  contents = await madeIn(made)
})

const linesOf = (name: string) => readFileSync(join(made, name), 'utf8').trimEnd().split('\n')

test('each file says which release it is, and for which platform', () => {
  expect(readdirSync(made).sort()).toEqual(
    [
      SUMS,
      'manifest.json',
      archive,
      `watchword-${VERSION}-windows-x64.zip`,
      `watchword-${VERSION}.cdx.json`,
      `watchword-${VERSION}.tgz`,
      provenanceName(VERSION),
      ...['sqlite', 'postgres'].map((store) => `watchword-${VERSION}-kubernetes-${store}.yaml`),
      `watchword_${debianVersion(VERSION)}_${ARCHITECTURE}.deb`,
    ].sort(),
  )
})

test('the chart is packed as Helm packs it, with its version and the alert rules', async () => {
  const files = await unpackTar(gunzipSync(readFileSync(join(made, `watchword-${VERSION}.tgz`))))
  const textOf = (name: string) =>
    new TextDecoder().decode(files.find(({ header }) => header.name === `watchword/${name}`)?.data)
  expect(Bun.YAML.parse(textOf('Chart.yaml'))).toMatchObject({ name: 'watchword', version: VERSION })
  const rules = readFileSync(join(ROOT, 'deploy/prometheus/watchword.rules.yml'), 'utf8')
  expect(textOf('watchword.rules.yml')).toBe(rules)
  expect(textOf('templates/deployment.yaml')).toContain('kind: Deployment')
})

test('made again, every byte is the same', async () => {
  const again = join(folder.path, 'again')
  await madeIn(again)
  await assertSame(made, again)
  appendFileSync(join(again, 'manifest.json'), '\n')
  expect((await errorOf(assertSame(made, again))).message).toContain('Two builds differ: manifest.json')
})

// `release --check` does the same for every platform.
test.if(isNightly)('the binary in it is the same when it is built again', async () => {
  const binary = await compile()
  const again = join(folder.path, 'watchword')
  const { commit, builtAt } = await runJson({ command: [binary], cwd: ROOT }, 'version')
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(Date.parse(builtAt) / 1000) } as Record<string, string>
  const build = { command: [process.execPath, 'build.ts'], cwd: ROOT, env }
  expect(await run(build, '--outfile', again)).toMatchObject({ exitCode: 0 })
  expect((await runJson({ command: [again], cwd: ROOT }, 'version')).commit).toBe(commit)
  expect(await sha256(again)).toBe(await sha256(binary))
})

test('the binary says what it was built from; from source it says that', async () => {
  const about = await runJson({ command: [await compile()], cwd: ROOT }, 'version')
  expect(about).toEqual({
    version: VERSION,
    commit: contents.origin.commit,
    builtAt: expect.stringMatching(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/),
    target: OURS,
    bun: Bun.version,
  })
  const { stdout } = await run({ command: [await compile()], cwd: ROOT }, 'version')
  expect(stdout).toBe(
    `watchword ${VERSION}, for ${OURS}, commit ${about.commit}, built ${about.builtAt}, Bun ${Bun.version}\n`,
  )
  const source = await run({ command: [process.execPath, 'src/main.ts'], cwd: ROOT }, 'version')
  expect(source.stdout).toBe(`watchword ${SOURCE}, from source, Bun ${Bun.version}\n`)
})

test('an archive unpacks to one folder: program, licences, and what puts it to work, of no owner and one time', async () => {
  const entries = await unpackTar(gunzipSync(readFileSync(join(made, archive))), { strict: true })
  const root = `watchword-${VERSION}-${OURS}/`
  const names = entries.map(({ header }) => header.name)
  expect(names.filter((name) => !name.startsWith(root))).toEqual([])
  expect(names).toEqual(names.toSorted())
  for (const name of ['watchword', 'LICENSE', 'third-party-licenses.txt', 'deploy/watchword.service'])
    expect(names).toContain(root + name)
  expect(names.filter((name) => name.includes('/release/') || name.includes('/debian/'))).toEqual([])
  const owned = entries.map(({ header: { uid, gid, uname, gname, mtime } }) => [uid, gid, uname, gname, mtime])
  expect(new Set(owned.map(String))).toEqual(new Set([String([0, 0, 'root', 'root', BUILT_AT])]))
  const entryOf = (name: string) => entries.find(({ header }) => header.name === root + name)
  expect(entryOf('watchword')?.header.mode).toBe(0o755)
  const notice = new TextDecoder().decode(entryOf('third-party-licenses.txt')?.data)
  for (const { name, version } of contents.notice.packages) expect(notice).toContain(`${name} ${version} · `)

  execute('tar', ['-xzf', join(made, archive)], { cwd: folder.path })
  expect(await sha256(join(folder.path, root, 'watchword'))).toBe(await sha256(STAND_IN))
})

test('a name may be as long as a path in a folder of a build between two releases', async () => {
  const name = `watchword-0.2.0-dev.1500+0123456789ab.dirty-linux-arm64-musl/${'a-folder/'.repeat(12)}file`
  const file = join(folder.path, 'long.tar.gz')
  writeFileSync(file, await tarGz([{ name, data: Buffer.from('content') }], BUILT_AT))
  expect(execute('tar', ['-tzf', file])).toBe(`${name}\n`)
})

test('for Windows it is a zip', () => {
  const files = unzipSync(readFileSync(join(made, `watchword-${VERSION}-windows-x64.zip`)))
  expect(Object.keys(files).sort()).toEqual(
    ['LICENSE', 'third-party-licenses.txt', 'watchword.exe'].map((name) => `watchword-${VERSION}-windows-x64/${name}`),
  )
})

test('the checksums are those of all files, as sha256sum reads them', () => {
  const named = linesOf(SUMS).map((line) => line.slice(66))
  expect(named).toEqual(
    readdirSync(made)
      .filter((name) => name !== SUMS)
      .sort(),
  )
  expect(execute('sha256sum', ['--check', '--strict', SUMS], { cwd: made })).toMatch(/^(.+: OK\n)+$/)
  for (const name of [archive, provenanceName(VERSION)]) {
    const altered = join(folder.path, `altered-${name}`)
    mkdirSync(altered)
    for (const file of [SUMS, name]) cpSync(join(made, file), join(altered, file))
    const check = () => execute('sha256sum', ['--check', '--strict', '--ignore-missing', SUMS], { cwd: altered })
    expect(check()).toContain(`${name}: OK`)
    appendFileSync(join(altered, name), '\n')
    expect(check).toThrow()
  }
})

test('the manifest says which of them has been run', () => {
  const { files, ...about } = JSON.parse(readFileSync(join(made, 'manifest.json'), 'utf8'))
  expect(about).toEqual({ ...contents.origin, bun: Bun.version })
  const sums = new Map(linesOf(SUMS).map((line) => [line.slice(66), line.slice(0, 64)]))
  for (const { name, bytes, sha256 } of files)
    expect([bytes, sha256]).toEqual([statSync(join(made, name)).size, sums.get(name)])
  const runs = new Map(files.map(({ name, run }: { name: string; run: string }) => [name, run]))
  expect(runs.get(`watchword-${VERSION}-windows-x64.zip`)).toBe('never')
  expect(TARGETS.filter(({ run }) => run !== 'never').map(({ name, run }) => [name, run])).toEqual([
    ['linux-x64', 'tested'],
    ['linux-arm64', 'emulated'],
  ])
})

test('the provenance names every file by its checksum, the commit, the lock file and each Bun', () => {
  const { subject, predicate, ...statement } = JSON.parse(readFileSync(join(made, provenanceName(VERSION)), 'utf8'))
  expect(statement).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
  })
  const lines = subject.map(
    ({ name, digest }: { name: string; digest: { sha256: string } }) => `${digest.sha256}  ${name}`,
  )
  expect(lines).toEqual(linesOf(SUMS).filter((line) => !line.endsWith(provenanceName(VERSION))))
  const [source, lock, ...runtimes] = predicate.buildDefinition.resolvedDependencies
  expect(source.digest.gitCommit).toBe(contents.origin.commit)
  expect(lock.digest.sha256).toBe(
    new Bun.CryptoHasher('sha256').update(readFileSync(join(ROOT, 'bun.lock'))).digest('hex'),
  )
  const sums = TARGETS.filter(({ name }) => [OURS, 'windows-x64'].includes(name)).map(
    ({ runtime }) => runtime.integrity,
  )
  const given = runtimes.map(
    ({ digest }: { digest: { sha512: string } }) => `sha512-${Buffer.from(digest.sha512, 'hex').toString('base64')}`,
  )
  expect(given).toEqual(sums)
})

describe('what it is made of', () => {
  const bom = () => readFileSync(join(made, `watchword-${VERSION}.cdx.json`), 'utf8')

  test('is CycloneDX by its schema', async () => {
    const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
    expect(await validator.validate(bom())).toBeNull()
    expect(await validator.validate(bom().replace('"library"', '"book"'))).not.toBeNull()
  })

  test('is every package of the notice, and Bun', () => {
    const { metadata, components, dependencies } = JSON.parse(bom())
    expect(metadata).toMatchObject({
      timestamp: BUILT_AT.toISOString(),
      component: { name: 'watchword', version: VERSION },
    })
    const named = ({ name, version }: { name: string; version: string }) => `${name}@${version}`
    const { runtime, packages } = contents.notice
    expect(components.map(named).sort()).toEqual([runtime, ...packages].map(named).sort())
    expect(components.map(({ purl }: { purl: string }) => purl)).toContain(
      `pkg:npm/%40orpc/server@${packages.find(({ name }) => name === '@orpc/server')?.version}`,
    )
    const own = dependencies.find(({ ref }: { ref: string }) => ref === metadata.component['bom-ref'])
    expect(own.dependsOn).toHaveLength(components.length)
  })

  test('has the hash of each package that is installed, as the lock file has it', () => {
    const lock = readFileSync(join(ROOT, 'bun.lock'), 'utf8')
    const { components } = JSON.parse(bom()) as {
      components: Array<{ name: string; version: string; hashes?: Array<{ alg: string; content: string }> }>
    }
    const locked = components.filter(({ name, version }) => lock.includes(`["${name}@${version}", `))
    expect(locked.length).toBeGreaterThan(25)
    for (const { name, version, hashes } of locked) {
      const [hash] = hashes ?? []
      const integrity = `sha512-${Buffer.from(hash?.content ?? '', 'hex').toString('base64')}`
      expect([name, hash?.alg, lock.includes(`["${name}@${version}", `) && lock.includes(integrity)]).toEqual([
        name,
        'SHA-512',
        true,
      ])
    }
  })
})

describe('signed with a key', () => {
  const signed = join(folder.path, 'signed')
  const key = join(folder.path, 'key')
  const believed = join(folder.path, 'allowed_signers')
  beforeAll(() => {
    // As small as a release can be: the signature is of its checksums.
    mkdirSync(signed)
    cpSync(join(made, SUMS), join(signed, SUMS))
    for (const file of [key, `${key}-other`]) execute('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', file])
    writeFileSync(believed, `${SIGNER} ${readFileSync(`${key}.pub`, 'utf8')}`)
  })

  test('it is believed by whoever believes that key', async () => {
    signSums(signed, key)
    await verifySums(signed, believed)
  })

  test('with another key it is not, nor is one whose checksums were changed', async () => {
    signSums(signed, `${key}-other`)
    await errorOf(verifySums(signed, believed))
    signSums(signed, key)
    appendFileSync(join(signed, SUMS), '\n')
    await errorOf(verifySums(signed, believed))
  })

  test('and a file that is no key is said to be none', () => {
    expect(() => signSums(signed, join(folder.path, 'none'))).toThrow('WATCHWORD_RELEASE_KEY')
  })

  test('the signature lies beside the checksums', async () => {
    const whole = join(folder.path, 'whole')
    await madeIn(whole, { targets: [], key })
    expect(readdirSync(whole)).toContain(SIGNATURE)
    await verifySums(whole, believed)
  })
})
