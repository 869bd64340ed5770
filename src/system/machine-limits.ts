/** What the machine gives to a process, as Linux says it in `/proc` and `/sys`. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Undefined: without a limit, or nobody says. */
export interface MachineLimits {
  descriptors: number | undefined
  /** Bytes, for all that share its control group. */
  memory: number | undefined
  /** 0.5 is half of one. */
  processors: number | undefined
  /** Of all that share its control group. */
  threads: number | undefined
  /** Connections that may wait to be taken. */
  waiting: number | undefined
}

/** `root`: of the file system, for tests. */
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

/** The process that holds a lock on a file, of those that are seen from here. */
export function lockHolderOf(file: string, root = '/'): number | undefined {
  const inode = statSync(file, { throwIfNoEntry: false })?.ino
  const [, pid] = new RegExp(`^.* WRITE (\\d+) \\w+:\\w+:${inode} `, 'm').exec(textOf(join(root, 'proc/locks'))) ?? []
  return pid !== undefined && readableProcess(root, pid) ? Number(pid) : undefined
}

/** In a container locks of others may be seen, too, by numbers that mean nothing here. */
const readableProcess = (root: string, pid: string) => readdirOf(join(root, 'proc', pid)).includes('limits')

/** Its group and those above, of version 2 of control groups. */
const groupsOf = (text: string): string[] => withAbove(/^0::(.*)$/m.exec(text)?.[1] ?? '/')

const withAbove = (path: string): string[] =>
  path === '/' || path === '.' ? ['/'] : [path, ...withAbove(dirname(path))]

/** `50000 100000`: so many microseconds of so many. */
function share(text: string): number | undefined {
  const [, quota, period] = /^(\d+) (\d+)/.exec(text) ?? []
  return quota === undefined ? undefined : Number(quota) / Number(period)
}

/** What is larger than any machine means none. */
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
