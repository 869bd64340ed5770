/**
 * The container, where nobody can build one: what the Containerfile lays out is put into a root that has what its base
 * has, and started there as it says, by the user it says.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { archived, nameOf } from '../../deploy/release/contents'
import { execute } from '../../deploy/release/programs'
import { TARGETS } from '../../deploy/release/targets'
import { describeSettings } from '../../src/config'
import { compile } from '../binary/compiled'
import { type Json, newFolder, type Program, ROOT, run, Server } from '../binary/support'
import { freePort } from '../support/free-port'
import { sharedPostgres } from '../support/postgres'
import { HANGS_AFTER_MS } from '../support/until'
import { contentsOf, OURS } from './made'

setDefaultTimeout(HANGS_AFTER_MS)

/** Its lines, in order: what is done, and to what. */
const steps = readFileSync(join(ROOT, 'deploy/container/Containerfile'), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, verb = '', rest = ''] = /^([A-Z]+) (.+)$/.exec(line) ?? []
    return verb === '' ? [] : [{ verb, rest }]
  })
const saying = (verb: string) => steps.filter((step) => step.verb === verb).map(({ rest }) => rest)
const only = (verb: string): string => {
  const [rest, ...more] = saying(verb)
  if (rest === undefined || more.length > 0) throw new Error(`The Containerfile says ${verb} ${more.length + 1} times`)
  return rest
}
const environment = Object.fromEntries(saying('ENV').map((rest) => rest.split('=') as [string, string]))
const [uid = 0, gid = 0] = only('USER').split(':').map(Number)
const isRoot = process.getuid?.() === 0

/** As a pod gets them. */
const manifests = Bun.YAML.parse(readFileSync(join(ROOT, 'deploy/kubernetes/postgres.yaml'), 'utf8')) as Json[]
const { data: settings } = manifests.find((document) => document?.kind === 'ConfigMap')

const folder = newFolder()
afterAll(() => folder.remove())
const root = join(folder.path, 'root')
const context = join(folder.path, 'context')
const at = (path: string) => join(root, path)

/** The libraries that a program names, and where this machine has them. */
function librariesOf(program: string): string[] {
  return [...execute('ldd', [program]).matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = '']) => path)
}

/** All of `libc6`, which is what `distroless/base-nossl` has. */
const OF_GLIBC = /^(ld-linux-[\w-]+\.so\.\d|lib(c|m|dl|rt|pthread)\.so\.\d)$/

/** What its base has of what the program may ask for. */
function layOutBase(binary: string): void {
  for (const path of ['tmp', 'proc', 'dev', 'etc', 'usr/bin', 'var/lib']) mkdirSync(at(path), { recursive: true })
  chmodSync(at('tmp'), 0o1777)
  writeFileSync(
    at('etc/passwd'),
    `root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:${uid}:${gid}:nonroot:/home/nonroot:/sbin/nologin\n`,
  )
  for (const library of librariesOf(binary)) {
    mkdirSync(dirname(at(library)), { recursive: true })
    copyFileSync(realpathSync(library), at(library))
  }
}

/** The folder that the archive of a release unpacks to. */
async function layOutContext(binary: string): Promise<void> {
  const target = TARGETS.find(({ name }) => name === OURS)
  if (!target) throw new Error(`Nothing is released for ${OURS}`)
  const { notice } = await contentsOf(binary)
  for (const { name, data, isProgram } of archived(target, await Bun.file(binary).bytes(), notice)) {
    const path = join(context, name.slice(nameOf(target, notice.program.version).length + 1))
    mkdirSync(name.endsWith('/') ? path : dirname(path), { recursive: true })
    if (data) writeFileSync(path, data, { mode: isProgram ? 0o755 : 0o644 })
  }
}

/** As builders do it: a folder gives what is in it, and whatever comes is root's where nothing else is said. */
function copy(rest: string): void {
  const words = rest.split(' ')
  const owner = words.find((word) => word.startsWith('--chown='))?.slice('--chown='.length)
  const paths = words.filter((word) => !word.startsWith('--'))
  const to = at(paths.at(-1) ?? '')
  for (const source of paths.slice(0, -1)) {
    const into = to.endsWith('/') && !source.endsWith('/') ? join(to, basename(source)) : to
    cpSync(join(context, source), into, { recursive: true })
    const [user, group] = (owner ?? '0:0').split(':').map(Number)
    if (isRoot && user !== undefined && group !== undefined) chownSync(into, user, group)
  }
}

/** In that root, with nothing of this machine but `/proc` and `/dev`, which every container has. */
const inside = (env: Record<string, string>, ...command: string[]): Program => ({
  command: [
    ...['unshare', '--mount', ...(isRoot ? [] : ['--map-root-user']), 'sh', '-ec'],
    'root=$1; shift; for of in proc dev; do mount --rbind /$of $root/$of; done; exec "$@"',
    ...['sh', root, chroot, ...(isRoot ? [`--userspec=${uid}:${gid}`] : []), root, ...command],
  ],
  cwd: folder.path,
  env: { ...environment, ...env },
})
const chroot = Bun.which('chroot', { PATH: `${process.env.PATH}:/usr/sbin:/sbin` }) ?? 'chroot'

beforeAll(async () => {
  const binary = await compile()
  layOutBase(binary)
  await layOutContext(binary)
  for (const { verb, rest } of steps) if (verb === 'COPY') copy(rest)
})

test('the program needs nothing but glibc', async () => {
  const names = librariesOf(await compile()).map((path) => basename(path))
  expect(names).toContain('libc.so.6')
  expect(names.filter((name) => !OF_GLIBC.test(name))).toEqual([])
  expect(only('FROM')).toMatch(/^gcr\.io\/distroless\/base-nossl-debian\d+:nonroot@sha256:[0-9a-f]{64}$/)
})

test('it is nobody special, with settings that there are', () => {
  expect(uid).toBeGreaterThanOrEqual(1000)
  const known = describeSettings().map(({ name }) => name)
  expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([])
  // To whoever is let in, not only to itself.
  expect(environment.WATCHWORD_HOST).toBe('0.0.0.0')
  expect(only('VOLUME')).toBe(environment.WATCHWORD_DATA ?? '')
  expect(only('EXPOSE')).toBe(describeSettings().find(({ name }) => name === 'WATCHWORD_PORT')?.byDefault ?? '')
})

describe('started', () => {
  const [program = ''] = JSON.parse(only('ENTRYPOINT')) as string[]
  const [, check = ''] = / CMD (\[.+\])$/.exec(only('HEALTHCHECK')) ?? []

  test('it serves, is healthy, keeps what it stores in its volume and nowhere else, and ends when it is told to', async () => {
    expect(JSON.parse(only('CMD'))).toEqual(['serve'])
    const before = filesOutsideOfData()
    const server = await Server.start(inside({}, program))
    const { port } = new URL(server.url)
    const healthcheck = inside({ WATCHWORD_PORT: port }, ...(JSON.parse(check) as string[]))
    expect(await run(healthcheck)).toMatchObject({ exitCode: 0, stderr: '' })
    expect((await server.call('GET', '/readyz')).body).toMatchObject({ checks: { database: true } })
    expect(
      Bun.spawnSync(['stat', '--format=%u', at(environment.WATCHWORD_DATA ?? '')])
        .stdout.toString()
        .trim(),
    ).toBe(isRoot ? String(uid) : String(process.getuid?.()))
    expect(readdirSync(at(environment.WATCHWORD_DATA ?? ''))).toContain('watchword.db')
    expect(filesOutsideOfData()).toEqual(before)

    expect(await server.stop(only('STOPSIGNAL') as NodeJS.Signals)).toBe(0)
    expect(await run(healthcheck)).toMatchObject({ exitCode: 1 })
  })

  test('on Kubernetes it serves over PostgreSQL, and has nothing it could write to', async () => {
    const data = at(environment.WATCHWORD_DATA ?? '')
    chmodSync(data, 0o500)
    if (isRoot) chownSync(data, 0, 0)
    const before = filesOutsideOfData()
    const postgres = await sharedPostgres()
    const metricsPort = freePort()
    const server = await Server.start(
      inside(
        {
          ...settings,
          WATCHWORD_LEAVING_MS: '0',
          WATCHWORD_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
          WATCHWORD_SECRET: 'as long as a master secret has to be at the least',
          WATCHWORD_DATABASE_URL: postgres.url(),
        },
        program,
      ),
    )
    expect((await server.call('GET', '/readyz')).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).status).toBe(200)
    expect(filesOutsideOfData()).toEqual(before)
    expect(await server.stop('SIGTERM')).toBe(0)
  })

  const filesOutsideOfData = () =>
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith(environment.WATCHWORD_DATA?.slice(1) ?? ''))
      .sort()
})
