/**
 * Which packages are in a bundle. The bundler names the files it took; what those had taken in before they were published
 * it cannot know: Scalar's source map tells it of the one big file, and of the others it may be all that they declare. A
 * package that only such a file has is installed for its licence alone (`unist-util-find-after`).
 */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { BuildMetafile } from 'bun'

/** A package in the bundle, and its folder as installed, which for code built in earlier may be of another version. */
export interface Bundled {
  name: string
  version: string
  folder: string
  note?: string
}

export interface Manifest {
  name: string
  version: string
  license?: string
  author?: string | { name?: string }
  dependencies?: Record<string, string>
}

export const manifestOf = (folder: string): Promise<Manifest> => Bun.file(join(folder, 'package.json')).json()

/** @throws Error where a package that is in the bundle is not installed, so that nobody can say its licence. */
export async function packagesIn(metafiles: readonly BuildMetafile[]): Promise<Bundled[]> {
  const files = metafiles.flatMap(({ inputs }) => Object.keys(inputs)).map((path) => resolve(path))
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []))
  const taken = await Promise.all([...folders].map(installed))
  const scalar = files.find((file) => file.endsWith('@scalar/api-reference/dist/browser/standalone.js'))
  const known = unique([...taken, ...(scalar === undefined ? [] : await packagesInScalar(scalar))])
  const names = new Set(known.map(({ name }) => name))
  const declared = (await Promise.all(known.map(declaredBy))).flat().filter(({ name }) => !names.has(name))
  return unique([...known, ...declared])
}

/** Up to the last `node_modules`, of which there may be several. */
const PACKAGE_FOLDER = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/

async function installed(folder: string): Promise<Bundled> {
  const { name, version } = await manifestOf(folder)
  return { name, version, folder }
}

/** In order of name and version; of those told twice, the first. */
const unique = (packages: readonly Bundled[]): Bundled[] => {
  const byId = new Map(packages.toReversed().map((one) => [`${one.name}@${one.version}`, one]))
  return [...byId].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, known]) => known)
}

interface SourceMap {
  sources: string[]
  sourcesContent: string[]
}

/** In pnpm's notation, of sources and of the comments its bundler leaves in what was bundled twice. */
const IN_PNPM = /node_modules\/\.pnpm\/[^/\n]*?@([\d.]+[^_/(\n]*)[^/\n]*\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/g
/** Beside it in Scalar's repository. */
const SCALARS_OWN = /^(?:\.\.\/)+([a-z-]+)\/dist\//

async function packagesInScalar(file: string): Promise<Bundled[]> {
  const { sources, sourcesContent }: SourceMap = await Bun.file(`${file}.map`).json()
  const own = new Set(sources.flatMap((path) => SCALARS_OWN.exec(path)?.[1] ?? []))
  const foreign = [...sources, ...sourcesContent].flatMap((text) => [...text.matchAll(IN_PNPM)])
  const versions = new Map(foreign.map(([, version = '', name = '']) => [`${name}@${version}`, { name, version }]))
  return Promise.all([
    ...[...own].map((name) => installed(folderOf(`@scalar/${name}`, file))),
    ...[...versions.values()].map(async (one) => ({ ...one, folder: folderOf(one.name, file), note: BY_SCALAR })),
  ])
}

const BY_SCALAR = 'In the API reference of Scalar.'

async function declaredBy({ name, folder }: Bundled): Promise<Bundled[]> {
  const { dependencies = {} } = await manifestOf(folder)
  const names = Object.keys(dependencies).filter((one) => !one.startsWith('@types/'))
  const note = `Declared by ${name}, which may carry some of it.`
  return Promise.all(names.map(async (one) => ({ ...(await installed(folderOf(one, folder))), note })))
}

/** Where a package is that was asked for from a place. */
function folderOf(name: string, from: string): string {
  const folder = join(from, 'node_modules', name)
  if (existsSync(folder)) return folder
  if (dirname(from) === from) throw new Error(`Install ${name}, which is in the bundle, for its licence`)
  return folderOf(name, dirname(from))
}
