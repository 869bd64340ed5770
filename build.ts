/**
 * `bun run build`: the one file that is released, `dist/watchword`. The console is bundled first and goes in with it,
 * as do the licences of all that is in it.
 * `--target bun-linux-arm64` and the like build for other machines, `--outfile` elsewhere.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BunPlugin } from 'bun'
import { collectNotice } from './deploy/release/licenses/collect'
import { type Origin, originOf } from './deploy/release/origin'
import type { BundledFile } from './src/bundled'
import type { LicenseNotice } from './src/cli/licenses'
import { bundleConsole } from './src/console/bundle'
import type { Build } from './src/domain/operations/version'
import { buildGuide } from './src/guide/site'

const ROOT = import.meta.dir
/** A thread is an entry of its own, which all else finds beside itself. */
const THREADS = ['src/store/sqlite/connection/checkpointer.ts', 'src/system/flusher.ts']

/** What goes into a binary whichever platform it is for. */
export interface Contents {
  console: readonly BundledFile[]
  guide: readonly BundledFile[]
  notice: LicenseNotice
  origin: Origin
}

export async function collectContents(): Promise<Contents> {
  const origin = originOf(ROOT)
  const { program, ...notice } = await collectNotice()
  return {
    console: await bundleConsole('best'),
    guide: await buildGuide('best'),
    notice: { ...notice, program: { ...program, version: origin.version } },
    origin,
  }
}

export interface Binary {
  outfile: string
  /** As Bun names it; without one it is for this machine. */
  target?: Bun.Build.CompileTarget
  /** A Bun for that target; without one Bun gets it by itself. */
  runtime?: string
}

/** Makes the binary, and answers where it lies. */
export async function buildBinary(contents: Contents, { outfile, target, runtime }: Binary): Promise<string> {
  const build: Build = { ...contents.origin, target: target?.replace(/^bun-/, '') ?? THIS_MACHINE }
  const { outputs } = await Bun.build({
    entrypoints: ['src/main.ts', ...THREADS].map((entry) => join(ROOT, entry)),
    naming: { entry: '[name].[ext]' },
    compile: {
      outfile,
      autoloadBunfig: false,
      autoloadDotenv: false,
      ...(target && { target }),
      ...(runtime && { executablePath: runtime }),
    },
    format: 'esm',
    minify: true,
    bytecode: true,
    // What is loaded later brings what it imports of Bun and Node along: otherwise every start would load it.
    splitting: true,
    define: { 'process.env.NODE_ENV': '"production"', WATCHWORD_BUILD: JSON.stringify(build) },
    plugins: [
      embedSite('console', contents.console),
      embedSite('guide', contents.guide),
      embedNotice(contents.notice),
      withoutUnused,
    ],
  })
  const [binary] = outputs
  if (!binary) throw new Error(`No binary for ${build.target}`)
  return binary.path
}

const THIS_MACHINE = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`

/** Puts the bundled files of a site in the place of its `embedded.ts`, which makes them from source. */
function embedSite(site: 'console' | 'guide', files: readonly BundledFile[]): BunPlugin {
  const ENCODINGS = ['br', 'gzip'] as const
  const embedded = files.flatMap((file) => ENCODINGS.map((encoding) => `${site}-asset:${encoding}/${file.name}`))
  const imports = embedded.map((path, index) => `import file${index} from ${JSON.stringify(path)}`)
  const entries = files.map(
    ({ name, type }, index) =>
      `{ name: ${JSON.stringify(name)}, type: ${JSON.stringify(type)}, br: file${2 * index}, gzip: file${2 * index + 1} }`,
  )
  return {
    name: `embed-${site}`,
    setup(build) {
      build.onLoad({ filter: new RegExp(`[\\\\/]src[\\\\/]${site}[\\\\/]embedded\\.ts$`) }, () => ({
        contents: [
          ...imports,
          `import { embeddedBundle } from ${JSON.stringify(join(ROOT, 'src/bundled/index.ts'))}`,
          `export const bundle = embeddedBundle([${entries.join(',\n')}])`,
        ].join('\n'),
        loader: 'js',
      }))
      // Bun takes files of one path for one file, whatever their namespace.
      build.onResolve({ filter: new RegExp(`^${site}-asset:`) }, ({ path }) => ({ path, namespace: `${site}-asset` }))
      build.onLoad({ filter: /.*/, namespace: `${site}-asset` }, ({ path }) => {
        const [encoding, name] = path.slice(`${site}-asset:`.length).split('/')
        const file = files.find((one) => one.name === name)
        if (!file) throw new Error(`There is no ${name} in the ${site}`)
        return { contents: file[encoding === 'br' ? 'br' : 'gzip'], loader: 'file' }
      })
    },
  }
}

/** Puts the notice in the place of `src/cli/embedded-notice.ts`, which has none: as a file that only `licenses` reads. */
const embedNotice = (notice: LicenseNotice): BunPlugin => ({
  name: 'embed-notice',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]cli[\\/]embedded-notice\.ts$/ }, () => ({
      contents: `import notice from 'notice:licenses.json'\nexport const embedded = notice`,
      loader: 'js',
    }))
    build.onResolve({ filter: /^notice:/ }, () => ({ path: 'licenses.json', namespace: 'notice' }))
    build.onLoad({ filter: /.*/, namespace: 'notice' }, () => ({ contents: JSON.stringify(notice), loader: 'file' }))
  },
})

/** What libraries load with themselves and a server never uses: loading it takes a tenth of a start. */
const withoutUnused: BunPlugin = {
  name: 'without-unused',
  setup(build) {
    // commander measures its help by node:util, and has commands that are programs of their own.
    build.onLoad({ filter: /[\\/]commander[\\/]lib[\\/](command|help)\.js$/ }, async ({ path }) => ({
      contents: onUse(await Bun.file(path).text(), path),
      loader: 'js',
    }))
    // pino's threads for writing: the log is written here.
    build.onLoad({ filter: /[\\/]pino[\\/]lib[\\/]transport\.js$/ }, () => ({
      contents: `module.exports = () => { throw new Error('The log is written without threads') }`,
      loader: 'js',
    }))
  },
}

const ON_USE = {
  "import { stripVTControlCharacters } from 'node:util';":
    "const stripVTControlCharacters = (text) => globalThis.process.getBuiltinModule('node:util').stripVTControlCharacters(text);",
  "import childProcess from 'node:child_process';":
    "const childProcess = { spawn: (...args) => globalThis.process.getBuiltinModule('node:child_process').spawn(...args) };",
}

/** A module that loads them when it uses them. Bun asks no plugin where its own modules are. */
function onUse(source: string, path: string): string {
  const found = Object.entries(ON_USE).filter(([line]) => source.includes(line))
  if (found.length === 0) throw new Error(`${path} has changed: it loads something else`)
  return found.reduce((text, [line, instead]) => text.replace(line, instead), source)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      target: { type: 'string' },
      outfile: { type: 'string', default: join(ROOT, 'dist/watchword') },
    },
  })
  const path = await buildBinary(await collectContents(), {
    outfile: values.outfile,
    ...(values.target && { target: values.target as Bun.Build.CompileTarget }),
  })
  process.stdout.write(`${path} ${Math.round(Bun.file(path).size / 1e6)} MB\n`)
}
