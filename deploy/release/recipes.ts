/** What Homebrew and Nix install by: where the archives of a release are, and what their bytes add up to. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from './archive'
import { nameOf } from './contents'
import { sha256 } from './sign'
import type { Target } from './targets'

const DEPLOY = join(import.meta.dir, '..')

/** As Nix calls the platforms that it has; Homebrew has the same ones. */
const SYSTEMS: Partial<Record<Target['name'], string>> = {
  'linux-x64': 'x86_64-linux',
  'linux-arm64': 'aarch64-linux',
  'darwin-x64': 'x86_64-darwin',
  'darwin-arm64': 'aarch64-darwin',
}

export interface Archive {
  system: string
  name: string
  url: string
  /** In hexadecimal digits. */
  sha256: string
}

/** @param url where the files of the release are, without a slash at its end. */
export async function archivesOf(folder: string, targets: readonly Target[], version: string, url: string) {
  const archives: Archive[] = []
  for (const target of targets) {
    const system = SYSTEMS[target.name]
    if (system === undefined) continue
    const name = `${nameOf(target, version)}.tar.gz`
    archives.push({ system, name, url: `${url}/${name}`, sha256: await sha256(join(folder, name)) })
  }
  return archives
}

/** Whether there is one for each: a recipe that lacks a platform would take it from those who have it installed. */
export const haveAll = (archives: readonly Archive[]): boolean => archives.length === Object.values(SYSTEMS).length

/** `deploy/homebrew/watchword.rb`, in which `@VERSION@`, `@URL x86_64-linux@` and `@SHA256 x86_64-linux@` are filled in. */
export function formulaOf(archives: readonly Archive[], version: string): string {
  const values = new Map([
    ['VERSION', version],
    ...archives.flatMap(({ system, url, sha256 }) => [
      [`URL ${system}`, url] as const,
      [`SHA256 ${system}`, sha256] as const,
    ]),
  ])
  return readFileSync(join(DEPLOY, 'homebrew/watchword.rb'), 'utf8').replaceAll(/@([A-Z].*?)@/g, (_, name: string) => {
    const value = values.get(name)
    if (value === undefined) throw new Error(`The formula asks for ${name}, which a release does not have`)
    return value
  })
}

/** The flake in one folder, with the `release.json` that it reads. */
export function flakeOf(archives: readonly Archive[], version: string): Entry[] {
  const sources = archives.map(({ system, url, sha256 }) => {
    const hash = `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`
    return [system, { url, hash }]
  })
  const release = { version, archives: Object.fromEntries(sources) }
  const files = readdirSync(join(DEPLOY, 'nix')).map((name) => ({
    name: `nix/${name}`,
    data: readFileSync(join(DEPLOY, 'nix', name)),
  }))
  return [...files, { name: 'nix/release.json', data: Buffer.from(`${JSON.stringify(release, undefined, 2)}\n`) }]
}
