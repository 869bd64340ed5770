/** Resource limits of a process, from `/proc` and `/sys` of Linux. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Undefined where there is no limit, or it is unknown. */
export interface MachineLimits {
  descriptors: number | undefined
  /** Bytes, for the whole control group. */
  memory: number | undefined
  /** 0.5 is half a processor. */
  processors: number | undefined
  /** For the whole control group. */
  threads: number | undefined
  /** Connections that may wait to be accepted. */
  waiting: number | undefined
}

/** `root` replaces the file system's in tests. */
export function machineLimitsOf(pid: number, root = '/'): MachineLimits {
  const read = (path: string) => textOf(join(root, path))
  const groups = groupsOf(read(`proc/${pid}/cgroup`))
  const inGroups = (name: string, parse: (text: string) => number | undefined) =>
    least(groups.map((group) => parse(read(join('sys/fs/cgroup', group, name)))))
  return {
    descriptors: numberIn(/^Max open files +(\d+)/m.exec(read(`proc/${pid}/limits`))?.[1]),
    memory: inGroups('memory.max', numberIn),
    processors: inGroups('cpu.max', share),
    threads: inGroups('pids.max', numberIn),
    waiting: numberIn(read('proc/sys/net/core/somaxconn')),
  }
}

/** The process that holds a lock on a file, where it is visible from here. */
export function lockHolderOf(file: string, root = '/'): number | undefined {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino
  const [, pid] = new RegExp(`^.* WRITE (\\d+) \\w+:\\w+:${inode} `, 'm').exec(textOf(join(root, 'proc/locks'))) ?? []
  return pid !== undefined && readableProcess(root, pid) ? Number(pid) : undefined
}

/** In a container, locks of other namespaces may be listed with process ids that mean nothing here. */
const readableProcess = (root: string, pid: string) => readdirOf(join(root, 'proc', pid)).includes('limits')

/** The control group (version 2) and its ancestors. */
const groupsOf = (text: string): string[] => withAbove(/^0::(.*)$/m.exec(text)?.[1] ?? '/')

const withAbove = (path: string): string[] =>
  path === '/' || path === '.' ? ['/'] : [path, ...withAbove(dirname(path))]

/** `50000 100000`: microseconds of processor time per period. */
function share(text: string): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)/.exec(text) ?? []
  return quota === undefined ? undefined : Number(quota) / Number(period)
}

/** Larger values stand for no limit. */
const NO_LIMIT = 2 ** 53

const numberIn = (text = ''): number | undefined =>
  /^\d+\s*$/.test(text) && Number(text) < NO_LIMIT ? Number(text) : undefined

function least(numbers: ReadonlyArray<number | undefined>): number | undefined {
  const known = numbers.filter((number) => number !== undefined)
  return known.length > 0 ? Math.min(...known) : undefined
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function readdirOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
