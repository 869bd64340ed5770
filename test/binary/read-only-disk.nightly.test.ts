/** The server on a file system that an error turns read-only, as ext4 does by itself. Needs root, a loop device and `mkfs.ext4`. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { HANGS_AFTER_MS, until } from '../support/until'
import { newFolder, programIn, Server } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const IMAGE_BYTES = 100 * 1024 * 1024

function must(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`)
  return stdout.trim()
}

test('a server whose file system has become read-only refuses with 503, says so, and ends at SIGTERM', async () => {
  const folder = newFolder()
  const [image, mounted] = [join(folder.path, 'image'), join(folder.path, 'disk')]
  writeFileSync(image, '')
  truncateSync(image, IMAGE_BYTES)
  must('mkfs.ext4', '-q', '-F', image)
  mkdirSync(mounted)
  must('mount', '-o', 'loop,errors=remount-ro', image, mounted)
  try {
    const server = await Server.start(programIn(folder.path), '--data', join(mounted, 'data'))
    const status = async () => (await fetch(`${server.url}/readyz`)).status
    await until(async () => (await status()) === 200, 'the server to be ready')
    const device = basename(must('findmnt', '--noheadings', '--output', 'SOURCE', mounted))
    writeFileSync(`/sys/fs/ext4/${device}/trigger_fs_error`, '1')
    await until(async () => (await status()) === 503, 'the server to be not ready')
    expect(() => writeFileSync(join(mounted, 'other'), 'x')).toThrow('EROFS')
    expect(await server.stop()).toBe(0)
    expect(server.stderr).toContain('"msg":"not ready"')
  } finally {
    must('umount', '--lazy', mounted)
    rmSync(folder.path, { recursive: true, force: true })
  }
})
