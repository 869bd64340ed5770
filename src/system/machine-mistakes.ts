/** Settings that this machine does not allow. They are found before anything is opened or made. */
import { accessSync, closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'

export interface MachineSettings {
  /** Addresses to listen on, by the setting that names each. */
  hosts: Readonly<Record<string, string | undefined>>
  /** Undefined where no folder is used. */
  dataDir: string | undefined
  databaseFile: string
}

/** Returns a line for each mistake, by the name of its setting without `WATCHWORD_`. */
export function machineMistakes(
  { hosts, dataDir, databaseFile }: MachineSettings,
  mayWrite = isWritable,
): Array<[setting: string, message: string]> {
  const mistakes: Array<[string, string]> = []
  for (const [setting, host] of Object.entries(hosts))
    if (host !== undefined && isOfAnotherMachine(host))
      mistakes.push([setting, `${host} is no address of this machine`])
  const ofFolder = dataDir === undefined ? undefined : folderMistake(dataDir, databaseFile, mayWrite)
  if (ofFolder !== undefined) mistakes.push(['DATA', ofFolder])
  return mistakes
}

function isOfAnotherMachine(host: string): boolean {
  // The whole network 127.0.0.0/8 is this machine.
  if (['0.0.0.0', '::'].includes(host) || host.startsWith('127.')) return false
  // A name is looked up when the server listens.
  if (process.getBuiltinModule('node:net').isIP(host) === 0) return false
  const own = Object.values(process.getBuiltinModule('node:os').networkInterfaces()).flatMap(
    (addresses) => addresses ?? [],
  )
  return !own.some(({ address }) => address === host)
}

const MAGIC = 'SQLite format 3\0'

function folderMistake(dataDir: string, databaseFile: string, mayWrite: typeof isWritable): string | undefined {
  if (existsSync(dataDir) && !statSync(dataDir).isDirectory()) return `${dataDir} is a file, not a folder`
  const nearest = nearestThere(dataDir)
  if (!mayWrite(nearest)) return `${nearest} cannot be written by this user (uid ${process.getuid?.() ?? 'unknown'})`
  const file = join(dataDir, databaseFile)
  if (!existsSync(file)) return undefined
  if (!statSync(file).isFile()) return `${file} is not a file`
  if (!mayWrite(file)) return `${file} cannot be written by this user (uid ${process.getuid?.() ?? 'unknown'})`
  const start = startOf(file)
  return start === '' || start === MAGIC ? undefined : `${file} is not a database`
}

/** The folder itself, or the one in which it would be made. */
function nearestThere(path: string): string {
  const above = dirname(path)
  return existsSync(path) || above === path ? path : nearestThere(above)
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function startOf(file: string): string {
  const descriptor = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(MAGIC.length)
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, bytes.length, 0))
  } finally {
    closeSync(descriptor)
  }
}
