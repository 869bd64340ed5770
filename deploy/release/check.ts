/** `bun run release --check`: that what was released is right, as far as it can be seen on this machine. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { nameOf, programOf } from './contents'
import { execute } from './programs'
import { SUMS, sha256 } from './sign'
import type { Target } from './targets'

const say = (line: string) => process.stdout.write(`${line}\n`)

/** @throws Error that names every file of which two builds have made two. */
export async function assertSame(one: string, other: string): Promise<void> {
  const names = [...new Set([...readdirSync(one), ...readdirSync(other)])].sort()
  const sums = async (folder: string, name: string) => sha256(join(folder, name)).catch(() => 'missing')
  const differing: string[] = []
  for (const name of names) if ((await sums(one, name)) !== (await sums(other, name))) differing.push(name)
  if (differing.length > 0) throw new Error(`Two builds differ: ${differing.join(', ')}`)
  say(`${names.length} files, each the same when made again`)
}

export async function tryRelease(folder: string, targets: readonly Target[]): Promise<void> {
  execute('sha256sum', ['--check', '--strict', '--quiet', SUMS], { cwd: folder })
  say(`${SUMS} is right`)
  const { version } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  for (const target of targets) say(`${nameOf(target, version)}: ${tried(folder, target, version)}`)
}

/** What starts a program for another processor: Debian's `qemu-user-static` and `libc6-arm64-cross`. */
const EMULATORS: Partial<Record<Target['name'], readonly [string, ...string[]]>> = {
  'linux-arm64': ['qemu-aarch64-static', '-L', '/usr/aarch64-linux-gnu'],
}

function tried(folder: string, target: Target, version: string): string {
  const name = nameOf(target, version)
  const isOurs = target.name === `${process.platform}-${process.arch}`
  const emulator = EMULATORS[target.name]
  if (!isOurs && !emulator) return 'built, and not run here'
  if (emulator && Bun.which(emulator[0]) === null) return `built, and not run: there is no ${emulator[0]} here`
  execute('tar', ['-xzf', `${name}.tar.gz`], { cwd: folder })
  const unpacked = join(folder, name)
  try {
    const [program = '', ...args] = [...(emulator ?? []), join(unpacked, programOf(target)), 'version', '--json']
    const about = execute(program, args)
    if (JSON.parse(about).target !== target.name) throw new Error(`${name} says that it is ${about}`)
    return `says its version${emulator ? `, started by ${emulator[0]}` : ''}`
  } finally {
    rmSync(unpacked, { recursive: true })
  }
}
