/** Copies of the database, made beside the running server, in a folder of the data folder. */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Backup } from '../ports/files'

const folderOf = (dataDir: string) => join(dataDir, 'backups')
const NAME = /^watchword-.+\.db$/

/** Newest first. */
export function listBackups(dataDir: string): Backup[] {
  const folder = folderOf(dataDir)
  try {
    return readdirSync(folder)
      .filter((name) => NAME.test(name))
      .map((name) => ({ name, stat: statSync(join(folder, name)) }))
      .map(({ name, stat }) => ({ name, bytes: stat.size, at: Math.round(stat.mtimeMs) }))
      .sort((a, b) => b.at - a.at)
  } catch {
    // No folder, no backups.
    return []
  }
}

/** Copies by `copy`, and keeps the newest; a copy has its name only once it is whole. */
export function makeBackup(
  dataDir: string,
  { now, keep }: { now: number; keep: number },
  copy: (file: string) => void,
): { made: Backup; removed: string[] } {
  const folder = folderOf(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = `watchword-${new Date(now).toISOString().replaceAll(':', '-')}.db`
  const unfinished = join(folder, `${name}.unfinished`)
  rmSync(unfinished, { force: true })
  try {
    copy(unfinished)
    renameSync(unfinished, join(folder, name))
  } catch (error) {
    // On a full disk it would take the last room of all.
    rmSync(unfinished, { force: true })
    throw error
  }
  const [made, ...others] = listBackups(dataDir)
  if (!made) throw new Error('the backup has vanished')
  const removed = others.slice(Math.max(0, keep - 1)).map((old) => old.name)
  for (const old of removed) rmSync(join(folder, old))
  return { made, removed }
}
