/** Which files of a folder count as backups, and what a start removes: `backups.ts`. */

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newestOf } from '../../src/domain/operations/backup-schedule'
import { listBackups, makeBackup, removeLeftovers } from '../../src/system/backups'
import { newFolder } from '../binary/support'
import { FOLDERS, type FolderCase } from './backups'

let folder: ReturnType<typeof newFolder>
const at = (name: string) => join(folder.path, 'backups', name)

beforeEach(() => {
  folder = newFolder()
  mkdirSync(at(''))
})
afterEach(() => folder.remove())

function layOut({ files, ageDays = {} }: FolderCase): void {
  for (const [name, bytes] of Object.entries(files)) {
    if (name.endsWith('/')) mkdirSync(at(name))
    else if (name.endsWith('@')) symlinkSync('/nowhere', at(name.slice(0, -1)))
    else writeFileSync(at(name), Buffer.alloc(bytes, 'x'))
    const days = ageDays[name]
    const seconds = Date.now() / 1_000 - (days ?? 0) * 86_400
    if (days !== undefined) utimesSync(at(name), seconds, seconds)
  }
}
const there = () => readdirSync(at('')).sort()

test.each(FOLDERS.map((one) => [one.report, one] as const))('a folder as in %s is read and cleaned', (_, one) => {
  layOut(one)
  const before = there()
  expect(
    listBackups(folder.path)
      .map(({ name }) => name)
      .sort(),
  ).toEqual([...one.counted])
  removeLeftovers(folder.path)
  expect(before.filter((name) => !there().includes(name))).toEqual([...one.removed])
})

test.each(FOLDERS.map((one) => [one.report, one] as const))(
  'a new backup is kept beside what %s tells of',
  (_, one) => {
    layOut(one)
    const { made } = makeBackup(folder.path, { now: Date.now(), keep: 1 }, (file) => writeFileSync(file, 'copy'))
    expect(lstatSync(at(made.name)).size).toBe(4)
    expect(newestOf(listBackups(folder.path), Date.now())?.name).toBe(made.name)
  },
)

/** Descriptors of this process that lead to the file. */
const openAs = (file: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file
    } catch {
      return false
    }
  })

/** Many times as long as a thread takes to start. */
const LOOKS = 500_000

const LOCKED = `import { isLocked } from '${join(import.meta.dir, '../../src/system/data-dir-lock')}'
process.exit(isLocked(process.argv.at(-1)) ? 0 : 1)`

// https://github.com/cockroachdb/cockroach/issues/20279: small writes wait while a big one is flushed.
test.if(process.platform === 'linux')(
  'a thread flushes a backup while it is written, and others find it locked',
  () => {
    const copied: Array<number | null> = []
    makeBackup(folder.path, { now: Date.now(), keep: 1 }, (file) => {
      const db = new Database(file)
      db.run('BEGIN EXCLUSIVE')
      db.run('CREATE TABLE copied (x)')
      const own = openAs(file).length
      for (let looks = 0; openAs(file).length === own && looks < LOOKS; looks++);
      copied.push(openAs(file).length - own, Bun.spawnSync([process.execPath, '-e', LOCKED, file]).exitCode)
      db.run('COMMIT')
      db.close()
    })
    expect(copied).toEqual([1, 0])
  },
)
