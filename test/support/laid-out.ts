/** An empty database of SQLite, laid out once for each process: replaying the migrations takes longer than most tests. */
import { Database } from 'bun:sqlite'
import { existsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { migrate } from '../../src/store/sqlite/connection/migrate'

/** Memory-backed where the machine has it: tests that keep files here promise nothing about the disk. */
export const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

let laidOut: Buffer | undefined

/** Writes an empty, migrated database that has no secret yet to `file`, unless that exists. */
export function layOutAt(file: string): void {
  if (existsSync(file)) return
  laidOut ??= serialized()
  writeFileSync(file, laidOut)
}

function serialized(): Buffer {
  using db = new Database(':memory:')
  migrate(db)
  return db.serialize()
}
