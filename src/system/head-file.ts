/** A line beside the database that does not go with it: where the audit log ends. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { HeadFile } from '../ports/files'

const NAME = 'watchword.audit'

export function headFileIn(dataDir: string): HeadFile {
  const file = join(dataDir, NAME)
  return {
    read() {
      try {
        return readFileSync(file, 'utf8')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
        throw error
      }
    },

    write(line) {
      // Complete and on disk before it has its name, so that a power failure leaves the old one or the new one.
      const draft = `${file}.${process.pid}`
      const descriptor = openSync(draft, 'w', 0o600)
      try {
        writeSync(descriptor, `${line}\n`)
        fsyncSync(descriptor)
      } finally {
        closeSync(descriptor)
      }
      renameSync(draft, file)
    },

    remove: () => rmSync(file, { force: true }),
  }
}
