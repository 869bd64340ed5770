/** Data flows one way: what may import what, and that nothing imports itself by a detour. */
import { expect, test } from 'bun:test'
import { existsSync, statSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { Glob } from 'bun'

const SRC = join(import.meta.dir, '../../src')

/** What people type is read in one place, by pages and by the server. */
const TYPED_TEXT = 'client/typed-text'

/** Below which rooms each stands. Every room may import from itself, and from the contract where it is named. */
const FLOORS: Readonly<Record<string, readonly string[]>> = {
  // Its words only: types, and the names of events, channels and legs.
  domain: ['contract', 'abuse/rules', TYPED_TEXT],
  'abuse/rules': ['contract', 'domain'],
  ports: ['contract', 'domain', 'abuse/rules'],
  store: ['contract', 'domain', 'abuse/rules', 'ports', 'migrations'],
  providers: ['domain', 'abuse/rules', 'ports'],
  'abuse/counters': ['domain', 'abuse/rules', 'ports'],
  runtime: ['domain', 'abuse/rules', 'abuse/counters', 'ports'],
  system: ['domain', 'ports'],
  usecases: ['contract', 'domain', 'abuse/rules', 'ports'],
  jobs: ['domain', 'abuse/rules', 'ports', 'usecases'],
  bundled: [],
  guide: ['bundled'],
  http: [TYPED_TEXT, 'contract', 'domain', 'abuse/rules', 'guide', 'ports', 'usecases'],
  conformance: ['contract'],
  admin: ['contract', 'domain', 'abuse/rules', 'ports', 'usecases', 'http'],
  console: ['admin', 'bundled', 'contract', 'domain', 'abuse/rules', 'ports', 'usecases', 'http', 'client'],
  config: ['domain', 'abuse/rules', 'ports'],
  app: ['admin', 'config', 'console', 'http', 'jobs', 'runtime', 'ports', 'providers', 'usecases', 'abuse/counters'],
  cli: [
    ...[
      'abuse/rules',
      'admin',
      'app',
      'config',
      'conformance',
      'contract',
      'domain',
      'http',
      'ports',
      'providers',
      'runtime',
    ],
    ...['store', 'system', 'usecases'],
  ],
  main: ['cli'],
}

const files: string[] = [...new Glob('**/*.{ts,tsx}').scanSync(SRC)].filter((name) => !name.endsWith('.d.ts'))
const imports = new Map(await Promise.all(files.map(async (name) => [name, await importsOf(name)] as const)))

function fileAt(path: string): string {
  const found = [path, `${path}.ts`, `${path}.tsx`, join(path, 'index.ts')].find(
    (file) => existsSync(file) && statSync(file).isFile(),
  )
  return relative(SRC, found ?? path)
}

/** Also of types: who names what another room is made of depends on it. */
async function importsOf(name: string): Promise<string[]> {
  const text = await Bun.file(join(SRC, name)).text()
  const local = [...text.matchAll(/(?:\bfrom|\bimport) ?\(?'(\.[^']*)'/g)].map(([, path = '']) => path)
  return [...new Set(local.map((path) => fileAt(resolve(SRC, name, '..', path))))]
}

/** The first folder, or the file at the root; outside of src, the folder at the top. The guard has two rooms. */
function roomOf(name: string): string {
  if (name === `../${TYPED_TEXT}.ts`) return TYPED_TEXT
  const [first = '', second] = (name.startsWith('../') ? name.slice(3) : name).split('/')
  return first === 'abuse' ? `abuse/${second}` : first.replace(/\.tsx?$/, '')
}

test.each(files.map((name) => [name] as const))('%s imports from the floors below it only', (name) => {
  const allowed = FLOORS[roomOf(name)]
  expect(allowed).toBeDefined()
  const rooms = (imports.get(name) ?? []).map(roomOf).filter((room) => room !== roomOf(name))
  expect(rooms.filter((room) => !allowed?.includes(room) && !EMBEDDED.includes(room))).toEqual([])
})

/** Below which rooms those of the client stand. What a page loads knows the contract by its types only. */
const CLIENT_FLOORS: Readonly<Record<string, RegExp>> = {
  package: /^(client|contract|deploy|src\/cli\/licenses|src\/domain\/operations\/version)\b/,
  // It says what the server says: by its rules, and by what puts them into words.
  testing: /^(client|contract|src\/domain|src\/abuse\/rules|src\/http\/(present|errors|idempotency-key))\b/,
}
const ofClient = [...new Glob('**/*.{ts,tsx}').scanSync(join(SRC, '../client'))].filter(
  (name) => !name.endsWith('.d.ts'),
)

test.each(ofClient.map((name) => [name] as const))('client/%s imports from the floors below it only', async (name) => {
  const allowed = CLIENT_FLOORS[name.split('/')[0] ?? ''] ?? /^client\b/
  const text = await Bun.file(join(SRC, '../client', name)).text()
  const values = text.replaceAll(/^(?:import|export) type [^']*'[^']*contract[^']*'$/gm, '')
  const local = [...values.matchAll(/(?:\bfrom|\bimport) ?\(?'(\.[^']*)'/g)].map(([, path = '']) => path)
  const paths = local.map((path) => relative(join(SRC, '..'), resolve(SRC, '../client', name, '..', path)))
  expect(paths.filter((path) => !allowed.test(path) && !EMBEDDED.includes(path))).toEqual([])
})

test('the domain knows the contract by its types, and the names of events, channels and legs', async () => {
  for (const name of files.filter((file) => ['domain', 'abuse/rules'].includes(roomOf(file)))) {
    const text = await Bun.file(join(SRC, name)).text()
    const imports = [...text.matchAll(/^(?:import|export) (type )?[^']*'([^']*\/contract\/[^']*)'$/gm)]
    const values = imports.filter(
      ([line, isType]) =>
        !isType &&
        !/{ (?:(?:CHANNELS|EVENT_TYPES|HOOK_EVENT_TYPES|LEGS|type \w+),? )+} from '.*\/constants'$/.test(line),
    )
    expect([name, values.map(([line]) => line)]).toEqual([name, []])
  }
})

/** What lies beside the rooms and goes into the binary as it is. */
const EMBEDDED = ['package', 'package.json', 'node_modules']

test('nothing imports itself by a detour', () => {
  const seen = new Map<string, 'open' | 'done'>()
  const circles: string[][] = []
  const visit = (name: string, way: readonly string[]) => {
    if (seen.get(name) === 'open') circles.push([...way.slice(way.indexOf(name)), name])
    if (seen.has(name)) return
    seen.set(name, 'open')
    for (const next of imports.get(name) ?? []) visit(next, [...way, name])
    seen.set(name, 'done')
  }
  for (const name of files) visit(name, [])
  expect(circles).toEqual([])
})

test('the root has what begins, and rooms', () => {
  expect(files.filter((name) => !name.includes('/')).toSorted()).toEqual(['app.ts', 'config.ts', 'main.ts'])
})

test.each([
  ['store', /\bDate\.now\b|\bsetTimeout\b|\bfetch\(|\bMath\.random\b|\bprocess\.env\b/],
  ['domain', /\bDate\.now\b|\bsetTimeout\b|\bfetch\(|\bMath\.random\b|\bprocess\.|\bawait /],
  ['abuse/rules', /\bDate\.now\b|\bsetTimeout\b|\bfetch\(|\bMath\.random\b|\bprocess\.|\bawait /],
  ['abuse/counters', /\bDate\.now\b|\bsetTimeout\b|\bfetch\(|\bMath\.random\b|\bprocess\./],
  ['usecases', /\bDate\.now\b|\bsetTimeout\b|\bfetch\(|\bMath\.random\b|\bprocess\./],
  ['runtime', /\bDate\.now\b|\bsetTimeout\b|\bfetch\(|\bMath\.random\b|\bprocess\./],
  ['jobs', /\bDate\.now\b|\bsetTimeout\b|\bfetch\(|\bMath\.random\b|\bprocess\./],
  ['ports', /bun:sqlite|\bSQL|PRAGMA/],
] as const)('what is outside comes to %s by ports', async (room, outside) => {
  for (const name of files.filter((file) => roomOf(file) === room)) {
    const text = (await Bun.file(join(SRC, name)).text()).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    expect([name, outside.exec(text)?.[0]]).toEqual([name, undefined])
  }
})
