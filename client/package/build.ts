/**
 * `bun run build:client`: the package, ready to publish, in `dist/client`. Each source file becomes an ES module and a
 * CommonJS module with its types. An app loads only what it imports, and its debugger steps through readable files.
 * Only the service in memory and how numbers are written are bundled, with the packages that they are made of.
 */
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { $, type BuildMetafile, type BunPlugin, Glob } from 'bun'
import { componentOf } from '../../deploy/release/licenses/collect'
import { packagesIn } from '../../deploy/release/licenses/packages'
import { linesOfOne } from '../../src/cli/licenses'
import { VERSION } from '../../src/domain/operations/version'
import { writtenTypes } from './types'

const ROOT = join(import.meta.dir, '../..')
const SOURCE = join(ROOT, 'client')
const OUT = join(ROOT, 'dist/client')
/** Our files, but with types that are written out: what needs more than them does not compile here. */
const STAGE = join(ROOT, 'dist/client-source')

const textOf = (...path: string[]) => Bun.file(join(...path)).text()

interface Bundled {
  entry: string
  types: string
}

/** By the name of the file. What needs the contract, the domain or a package is bundled into one file with short types. */
const BUNDLED: Readonly<Record<string, Bundled>> = {
  'testing/service': {
    entry: 'testing/service/index.ts',
    types: `import type { CreateService } from './service-types'
export declare const createService: CreateService
`,
  },
  'screen/formats': {
    entry: 'screen/formats.ts',
    types: `export declare const formatTyped: (typed: string, country: string) => string
export declare const internationalOf: (typed: string, country: string) => string | undefined
export declare const nationalOf: (phoneNumber: string) => string | undefined
`,
  },
}

async function stage(): Promise<void> {
  for (const name of new Glob('**/*.{ts,tsx}').scanSync(SOURCE))
    if (
      !name.startsWith('package/') &&
      !Object.keys(BUNDLED).some((bundled) => name.startsWith(bundled) && name !== `${bundled}-types.ts`)
    )
      await Bun.write(join(STAGE, name), Bun.file(join(SOURCE, name)))
  await Bun.write(join(STAGE, 'types.ts'), writtenTypes())
  for (const [name, { types }] of Object.entries(BUNDLED)) await Bun.write(join(STAGE, `${name}.d.ts`), types)
}

type Format = 'esm' | 'cjs'
const MODULE = { esm: 'esnext', cjs: 'commonjs' } as const satisfies Record<Format, string>

async function compile(format: Format): Promise<void> {
  const compiled = join(STAGE, format)
  const options = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: {
      ...{ module: MODULE[format], target: 'es2022', lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
      ...{ noEmit: false, declaration: true, allowImportingTsExtensions: false, skipLibCheck: false },
      ...{ rootDir: STAGE, outDir: compiled, verbatimModuleSyntax: format === 'esm' },
    },
    include: [join(STAGE, '**/*.ts'), join(STAGE, '**/*.tsx')],
    exclude: Object.keys(MODULE).map((each) => join(STAGE, each)),
  }
  await Bun.write(join(STAGE, `${format}.json`), JSON.stringify(options))
  await $`${join(ROOT, 'node_modules/.bin/tsc')} -p ${join(STAGE, `${format}.json`)}`.cwd(ROOT)
  for (const name of new Glob('**/*.{js,d.ts}').scanSync(compiled))
    await Bun.write(join(OUT, named(name, format)), complete(await textOf(compiled, name), name, format))
}

/** zod keeps its settings where every copy of it finds them: ours are not those of the app that tests. */
const ownZod: BunPlugin = {
  name: 'own-zod',
  setup(build) {
    build.onLoad({ filter: /\/zod\/v4\/core\/(core|registries)\.js$/ }, async ({ path }) => ({
      contents: `const ownGlobal = {}\n${(await textOf(path)).replaceAll('globalThis', 'ownGlobal')}`,
      loader: 'js',
    }))
  },
}

async function bundle([name, { entry, types }]: [string, Bundled], format: Format): Promise<void> {
  const { outputs, metafile } = await Bun.build({
    ...{ entrypoints: [join(SOURCE, entry)], target: 'browser', format },
    // Node modules stay external: they are not part of the bundle.
    ...{ minify: true, plugins: [ownZod], metafile: true, external: ['node:*'] },
  })
  await Bun.write(join(OUT, `${name}.licenses.txt`), await licensesOf(metafile ? [metafile] : []))
  await Bun.write(join(OUT, named(`${name}.js`, format)), (await outputs[0]?.text()) ?? '')
  await Bun.write(join(OUT, named(`${name}.d.ts`, format)), complete(types, `${name}.d.ts`, format))
}

/** Licences of bundled code, which require it. */
async function licensesOf(bundles: readonly BuildMetafile[]): Promise<string> {
  const components = await Promise.all((await packagesIn(bundles)).map(componentOf))
  return `${components.flatMap(linesOfOne).join('\n')}\n`
}

/** Beside ES modules, which have the plain names, CommonJS is `.cjs` and its types are `.d.cts`. */
const named = (name: string, format: Format) =>
  format === 'esm' ? name : name.replace(/\.js$/, '.cjs').replace(/\.d\.ts$/, '.d.cts')

/** Node wants the extensions that ours does without. */
function complete(text: string, name: string, format: Format): string {
  const from = join(STAGE, name, '..')
  const isFolder = (specifier: string) => existsSync(join(from, specifier, 'index.ts'))
  return text.replace(
    /(from |import |import\(|require\()(["'])(\.{1,2}(?:\/[^"']+)?)\2/g,
    (_, word: string, quote: string, specifier: string) =>
      `${word}${quote}${named(`${specifier}${isFolder(specifier) ? '/index' : ''}.js`, format)}${quote}`,
  )
}

rmSync(OUT, { recursive: true, force: true })
rmSync(STAGE, { recursive: true, force: true })
await stage()
const bundles = Object.entries(BUNDLED).flatMap((one) => [bundle(one, 'esm'), bundle(one, 'cjs')])
await Promise.all([compile('esm'), compile('cjs'), ...bundles])
const { name, ...manifest } = await Bun.file(join(import.meta.dir, 'package.json')).json()
await Bun.write(join(OUT, 'package.json'), `${JSON.stringify({ name, version: VERSION, ...manifest }, null, 2)}\n`)
await Bun.write(join(OUT, 'README.md'), Bun.file(join(import.meta.dir, 'README.md')))
await Bun.write(join(OUT, 'LICENSE'), Bun.file(join(ROOT, 'LICENSE')))
rmSync(STAGE, { recursive: true })
