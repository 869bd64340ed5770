/** `watchword compact`: the file of a data folder becomes as small as what is in it. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, readConfig } from '../config'
import { releasePages, rewriteInPlace, stateOfFile } from '../store/sqlite/connection/compact'
import { headFileIn } from '../system/data-dir-files'
import { AlreadyServedError, lockDataDir } from '../system/data-dir-lock'
import { throttleWrites } from '../system/write-throttle'
import { type CommonOptions, onDataCommand } from './command'
import { DATABASE_FILE, openFile } from './open'
import { Failure, notEmbedded, outputFor } from './output'

/** Larger steps would block the writers of a running server for more than a second. */
const SMALL_BYTES = 64 * 2 ** 20

export const compactCommand = (): Command =>
  onDataCommand(
    'compact',
    'return the space of deleted rows to the disk; in small steps while a server runs',
    'compact',
  ).action(async ({ data, json }: CommonOptions) => {
    const config = readConfig(process.env, { DATA: data, LOG_LEVEL: 'warn' })
    if (config.database)
      throw notEmbedded(
        'compact makes the file of a data folder smaller',
        'its own vacuum lets rows take the room again, and VACUUM FULL gives it back',
      )
    const database = join(config.dataDir, DATABASE_FILE)
    if (!existsSync(database)) throw new Failure('no_database', `There is no database: ${database}`)
    const bytesBefore = statSync(database).size
    await compact(config, database)
    const bytesAfter = statSync(database).size
    outputFor(json)({ database, bytesBefore, bytesAfter }, [
      `${database}: ${bytesBefore} bytes before, ${bytesAfter} now.`,
    ])
  })

/** Without a running server, none can start until this has ended. */
function isHeld(dataDir: string): boolean {
  try {
    lockDataDir(dataDir)
    return false
  } catch (error) {
    if (error instanceof AlreadyServedError) return true
    throw error
  }
}

async function compact(config: Config, database: string): Promise<void> {
  const isServed = isHeld(config.dataDir)
  // Checks the secret and migrates the schema.
  const { store } = openFile(config, database, { isNew: false, headFile: headFileIn(config.dataDir) })
  try {
    const { bytes, isIncremental } = stateOfFile(database)
    if (isServed && isIncremental) await inSteps(() => releasePages(database))
    else if (isServed && bytes > SMALL_BYTES) throw laidOutBefore()
    else rewriteInPlace(database)
    // A checkpoint truncates the file after the log was copied into it.
    await store.truncateLog()
  } finally {
    await store.close()
  }
}

const laidOutBefore = () =>
  new Failure(
    'already_served',
    'An earlier release has laid this file out: once, it has to be compacted while the server is stopped. After that it can be beside it.',
  )

/** Repeats `step` until it returns false, and pauses after each step for as long as the step took. */
async function inSteps(step: () => boolean): Promise<void> {
  const soon = throttleWrites()
  let isMore = true
  while (isMore)
    await new Promise<void>((resolve, reject) =>
      soon(async () => {
        try {
          isMore = step()
          resolve()
        } catch (error) {
          reject(error)
        }
      }),
    )
}
