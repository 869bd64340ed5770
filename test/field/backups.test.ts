/** Which files of a folder count as backups, and what a start removes: `backups.ts`. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { lstatSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
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
