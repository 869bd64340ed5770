/** All files of a release, into one folder. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Contents } from '../../build'
import { CHART, chartFiles } from '../kubernetes/render'
import { tarGz, zip } from './archive'
import { archived, installed, nameOf } from './contents'
import { debianPackage, debianVersion } from './debian'
import { provenanceName, provenanceOf } from './provenance'
import { sbomOf } from './sbom'
import { sha256, signSums, writeSums } from './sign'
import { isWindows, type Target } from './targets'

const ROOT = join(import.meta.dir, '../..')

export interface Plan {
  folder: string
  targets: readonly Target[]
  contents: Contents
  /** Where the binary of a target lies. */
  binaryOf: (target: Target) => Promise<string>
  /** File of the key that signs; without one nothing is signed. */
  key?: string
}

/** What `manifest.json` says of each file that has a program in it. */
interface Made {
  name: string
  target: Target['name']
  run: Target['run']
  bytes: number
  sha256: string
}

export async function makeRelease({ folder, targets, contents, binaryOf, key }: Plan): Promise<void> {
  const { notice, origin } = contents
  if (origin.builtAt === null) throw new Error('A release has a time: of its commit, or SOURCE_DATE_EPOCH')
  const builtAt = new Date(origin.builtAt)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })

  const files: Made[] = []
  for (const target of targets) {
    const binary = await Bun.file(await binaryOf(target)).bytes()
    const names = [
      packArchive(folder, target, binary, contents, builtAt),
      ...packDebian(folder, target, binary, contents, builtAt),
    ]
    for (const name of names) files.push(await described(folder, name, target))
  }
  packChart(folder, origin.version, builtAt)
  writeFileSync(join(folder, `watchword-${origin.version}.cdx.json`), sbomOf(notice, builtAt))
  const manifest = { ...origin, bun: Bun.version, files }
  writeFileSync(join(folder, 'manifest.json'), `${JSON.stringify(manifest, undefined, 2)}\n`)
  const checksums = new Map(await Promise.all(readdirSync(folder).sort().map(checksumIn(folder))))
  const provenance = await provenanceOf({ origin, targets, files: checksums })
  writeFileSync(join(folder, provenanceName(origin.version)), provenance)
  await writeSums(folder)
  if (key !== undefined) signSums(folder, key)
}

function packArchive(
  folder: string,
  target: Target,
  binary: Uint8Array,
  { notice, origin }: Contents,
  builtAt: Date,
): string {
  const [pack, ending] = isWindows(target) ? ([zip, 'zip'] as const) : ([tarGz, 'tar.gz'] as const)
  const name = `${nameOf(target, origin.version)}.${ending}`
  writeFileSync(join(folder, name), pack(archived(target, binary, notice), builtAt))
  return name
}

function packDebian(
  folder: string,
  { debian }: Target,
  binary: Uint8Array,
  { notice, origin }: Contents,
  builtAt: Date,
): string[] {
  if (debian === undefined) return []
  const name = `watchword_${debianVersion(origin.version)}_${debian}.deb`
  const what = { version: origin.version, architecture: debian, builtAt }
  debianPackage(installed(binary, notice), what, join(folder, name))
  return [name]
}

const checksumIn = (folder: string) => async (name: string) => [name, await sha256(join(folder, name))] as const

/** The chart as Helm packs it, and what it makes for those who use no Helm. */
function packChart(folder: string, version: string, builtAt: Date): void {
  const entries = chartFiles().map((name) => {
    const text = readFileSync(join(ROOT, CHART, name), 'utf8')
    const data = name === 'Chart.yaml' ? text.replace(/^(version|appVersion): .*/gm, `$1: "${version}"`) : text
    return { name: `watchword/${name}`, data: new TextEncoder().encode(data) }
  })
  writeFileSync(join(folder, `watchword-${version}.tgz`), tarGz(entries, builtAt))
  for (const store of ['sqlite', 'postgres'])
    copyFileSync(
      join(ROOT, `deploy/kubernetes/${store}.yaml`),
      join(folder, `watchword-${version}-kubernetes-${store}.yaml`),
    )
}

async function described(folder: string, name: string, target: Target): Promise<Made> {
  const path = join(folder, name)
  return { name, target: target.name, run: target.run, bytes: statSync(path).size, sha256: await sha256(path) }
}
