/** Archives whose bytes say nothing of who packed them, or when: names in order, one time, one owner. */
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { packTar } from 'modern-tar'

/** A file, or a folder that has to be there although nothing is in it: its name ends with a slash. */
export interface Entry {
  name: string
  data?: Uint8Array
  isProgram?: boolean
}

const inOrder = (entries: readonly Entry[]) => entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))
export const modeOf = ({ name, isProgram }: Entry) => (isProgram || name.endsWith('/') ? 0o755 : 0o644)

export async function tarGz(entries: readonly Entry[], mtime: Date): Promise<Uint8Array> {
  const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root' }
  const files = inOrder(entries).map((entry) => ({
    header: {
      ...{ name: entry.name, size: entry.data?.byteLength ?? 0, mode: modeOf(entry), mtime, ...owner },
      type: entry.name.endsWith('/') ? ('directory' as const) : ('file' as const),
    },
    ...(entry.data && { body: entry.data }),
  }))
  return gzipSync(await packTar(files), { level: 6 })
}

/** Its times begin in 1980. */
const EARLIEST = new Date('1980-01-02T00:00:00Z')
const MADE_ON_UNIX = 3

export function zip(entries: readonly Entry[], mtime: Date): Uint8Array {
  const at = mtime < EARLIEST ? EARLIEST : mtime
  const files = inOrder(entries).map((entry) => [
    entry.name,
    // Which it writes as a clock on the wall shows it: the same one everywhere.
    [
      entry.data ?? new Uint8Array(),
      { mtime: asWallClock(at), os: MADE_ON_UNIX, attrs: modeOf(entry) << 16, level: 6 },
    ],
  ])
  return zipSync(Object.fromEntries(files))
}

const asWallClock = (at: Date) => new Date(at.getTime() + at.getTimezoneOffset() * 60_000)
