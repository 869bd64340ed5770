/** Makes the third-party notice of what the bundler takes, by the texts that the packages bring. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import type { Component, LicenseNotice } from '../../../src/cli/licenses'
import { buildConsole } from '../../../src/console/bundle'
import { bundleAssets } from '../../../src/guide/site'
import { type Bundled, type Manifest, manifestOf, packagesIn } from './packages'

const ROOT = join(import.meta.dir, '../../..')

/** @throws Error without the development packages, which bring the texts of Bun and of SPDX. */
export async function collectNotice(): Promise<LicenseNotice> {
  if (!(await standardText('MIT'))) throw new Error('To build needs the development packages: bun install')
  const bundles = await Promise.all([buildServer(), buildConsole(), bundleAssets()])
  const packages = await packagesIn(bundles.flatMap(({ metafile }) => metafile ?? []))
  return {
    program: await componentOf({ ...(await manifestOf(ROOT)), folder: ROOT }),
    runtime: await bun(),
    packages: await Promise.all(packages.map(componentOf)),
  }
}

/** As the binary has it. */
const buildServer = () =>
  Bun.build({
    entrypoints: [join(ROOT, 'src/main.ts')],
    target: 'bun',
    minify: true,
    plugins: [withoutGuideFromSource],
    define: { 'process.env.NODE_ENV': '"production"' },
    metafile: true,
  })

/** The libraries that make the guide's pages are used by the build, and are not in the binary. */
export const withoutGuideFromSource: BunPlugin = {
  name: 'without-guide-from-source',
  setup(build) {
    build.onLoad({ filter: /[\\/]src[\\/]guide[\\/]embedded\.ts$/ }, () => ({
      contents: 'export const bundle = undefined',
      loader: 'ts',
    }))
  },
}

export async function componentOf({ name, version, folder, note }: Bundled): Promise<Component> {
  const manifest = await manifestOf(folder)
  const { license } = manifest
  if (license === undefined) throw new Error(`${name} does not say its licence`)
  const brought = await textsIn(folder)
  const notes = [
    ...(note === undefined ? [] : [note]),
    ...(manifest.version === version ? [] : [`The text is the one of its version ${manifest.version}.`]),
    ...(brought === ''
      ? [`Its package brings no text; this is the standard one. ${authorOf(manifest)}`.trimEnd()]
      : []),
  ]
  const text = brought === '' ? await standardText(license) : brought
  if (text === undefined) throw new Error(`${name} brings no text of its licence, and ${license} has no standard one`)
  return { name, version, license, text, ...(notes.length > 0 && { note: notes.join(' ') }) }
}

const authorOf = ({ author }: Manifest): string => {
  const name = typeof author === 'string' ? author : author?.name
  return name === undefined ? '' : `Its author is ${name}.`
}

const IS_LEGAL = /^(licen[cs]e|copying|notice|third.?party)/i

/** A licence, and beside it the notice Apache's asks to keep. */
async function textsIn(folder: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.flatMap((entry) => (entry.isFile() && IS_LEGAL.test(entry.name) ? [entry.name] : [])).sort()
  const texts = await Promise.all(names.map((name) => Bun.file(join(folder, name)).text()))
  return texts.map((text) => text.trim()).join('\n\n')
}

/** The text of a licence by its SPDX identifier. */
async function standardText(id: string): Promise<string | undefined> {
  const file = Bun.file(join(ROOT, 'node_modules/spdx-license-list/licenses', `${id}.json`))
  return (await file.exists()) ? (await file.json()).licenseText.trim() : undefined
}

/** What Bun is made of, by its own page: Bun, JavaScriptCore and TinyCC, and the libraries beside them. */
const OF_BUN = [
  'MIT',
  'LGPL-2.0-only',
  'LGPL-2.1-only',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Zlib',
  'libpng-2.0',
]
const BUN_NOTE = `Linked into the binary, with the libraries that its page below names; the standard texts of their licences
follow it. No package of npm brings their copyright lines, nor the texts the page only links to (BoringSSL, libarchive,
ICU, libjpeg-turbo): they are at its addresses. To link Watchword with a JavaScriptCore of your own, build Bun as the
page says and run Watchword's build.ts with it.`

async function bun(): Promise<Component> {
  const folder = join(ROOT, 'node_modules/bun-types')
  const page = await Bun.file(join(folder, 'docs/project/license.mdx')).text()
  const texts = await Promise.all(OF_BUN.map(standardText))
  return {
    name: 'bun',
    version: (await manifestOf(folder)).version,
    license: OF_BUN.join(' AND '),
    text: [page.replace(/^---.*?---\s*/s, '').trim(), ...texts].join('\n\n'),
    note: BUN_NOTE,
  }
}
