/** What the machine gives to a process, read off files as Linux writes them. */
import { afterEach, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { lockHolderOf, machineLimitsOf } from '../../src/system/machine-limits'

let roots: string[] = []
afterEach(() => {
  for (const root of roots) rmSync(root, { recursive: true })
  roots = []
})

/** A file system that has these files. */
function rootWith(files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'watchword-box-'))
  roots.push(root)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(name)), { recursive: true })
    writeFileSync(join(root, name), text)
  }
  return root
}

const LIMITS = `Limit                     Soft Limit           Hard Limit           Units
Max processes             96365                96365                processes
Max open files            1024                 524288               files
`
const NOTHING = {
  descriptors: undefined,
  memory: undefined,
  processors: undefined,
  threads: undefined,
  waiting: undefined,
}

describe('of a process', () => {
  test('in a unit of systemd all of its limits are known, and the narrowest of those above it counts', () => {
    const unit = 'sys/fs/cgroup/system.slice/watchword.service'
    const root = rootWith({
      'proc/7/limits': LIMITS,
      'proc/7/cgroup': '0::/system.slice/watchword.service\n',
      'proc/sys/net/core/somaxconn': '4096\n',
      [`${unit}/memory.max`]: 'max\n',
      [`${unit}/cpu.max`]: '50000 100000\n',
      [`${unit}/pids.max`]: '64\n',
      'sys/fs/cgroup/system.slice/memory.max': '536870912\n',
      'sys/fs/cgroup/system.slice/cpu.max': 'max 100000\n',
      'sys/fs/cgroup/system.slice/pids.max': '1000\n',
    })
    expect(machineLimitsOf(7, root)).toEqual({
      ...{ descriptors: 1_024, memory: 536_870_912, processors: 0.5, threads: 64, waiting: 4_096 },
    })
  })

  test('in a container, which sees its own group as the root', () => {
    const root = rootWith({
      'proc/1/limits': LIMITS,
      'proc/1/cgroup': '0::/\n',
      'sys/fs/cgroup/memory.max': '268435456\n',
      'sys/fs/cgroup/cpu.max': '200000 100000\n',
      'sys/fs/cgroup/pids.max': 'max\n',
    })
    expect(machineLimitsOf(1, root)).toEqual({ ...NOTHING, descriptors: 1_024, memory: 268_435_456, processors: 2 })
  })

  test('nothing is known where nobody says', () => {
    expect(machineLimitsOf(7, rootWith({}))).toEqual(NOTHING)
    const endless = rootWith({ 'proc/7/limits': LIMITS.replace('1024  ', 'unlimited') })
    expect(machineLimitsOf(7, endless)).toEqual(NOTHING)
  })
})

describe('the holder of a lock', () => {
  const locked = (root: string, pid: number) => {
    const file = join(root, 'serve.lock')
    writeFileSync(file, '')
    const { ino } = statSync(file)
    mkdirSync(join(root, 'proc'), { recursive: true })
    writeFileSync(
      join(root, 'proc/locks'),
      `1: POSIX  ADVISORY  WRITE 3 00:1b:${ino}1 1073741824 1073741824\n` +
        `2: POSIX  ADVISORY  READ  4 00:1b:${ino} 124 124\n` +
        `3: POSIX  ADVISORY  WRITE ${pid} fe:00:${ino} 1073741824 1073742335\n`,
    )
    return file
  }

  test('is the process that writes, where it is seen from here', () => {
    const root = rootWith({ 'proc/27/limits': LIMITS, 'proc/3/limits': LIMITS, 'proc/4/limits': LIMITS })
    expect(lockHolderOf(locked(root, 27), root)).toBe(27)
    expect(lockHolderOf(locked(root, 28), root)).toBeUndefined()
    expect(lockHolderOf(join(root, 'another'), root)).toBeUndefined()
  })
})
