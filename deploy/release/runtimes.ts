/**
 * Bun for other platforms. Its `--compile --target` gets that from npm by itself, and believes whatever it is given; here
 * npm gets it, and its bytes are the ones that `targets.ts` names, or nothing is built.
 */
import { createHash } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import { execute } from './programs'
import { isWindows, type Target } from './targets'

/** The Bun of a platform in a folder, where it stays for the next release. Answers where. */
export async function runtimeFor(target: Target, folder: string): Promise<string> {
  const { name, integrity } = target.runtime
  const kept = join(folder, `${name.replace(/^@oven\//, '')}-${Bun.version}.tgz`)
  mkdirSync(folder, { recursive: true })
  if (!existsSync(kept)) await fetchPackage(`${name}@${Bun.version}`, folder, kept)
  const bytes = await Bun.file(kept).bytes()
  const found = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  if (found !== integrity) {
    rmSync(kept)
    throw new Error(`${name}@${Bun.version} is ${found}, and targets.ts says ${integrity}`)
  }
  const program = `package/bin/bun${isWindows(target) ? '.exe' : ''}`
  const [file] = await unpackTar(gunzipSync(bytes), { filter: ({ name }) => name === program })
  if (!file?.data) throw new Error(`${name} has no ${program}`)
  const path = join(folder, `bun-${target.name}`)
  writeFileSync(path, file.data)
  chmodSync(path, 0o755)
  return path
}

async function fetchPackage(id: string, folder: string, to: string): Promise<void> {
  const [packed] = JSON.parse(execute('npm', ['pack', id, '--json', '--pack-destination', folder]))
  await Bun.write(to, Bun.file(join(folder, packed.filename)))
  rmSync(join(folder, packed.filename))
}
