/** The checks of a data folder, in the order of `CHECKS`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config'
import { systemClock } from '../../system/clock'
import { headFileIn } from '../../system/data-dir-files'
import { DATABASE_FILE, openFile } from '../open'
import { COMMON_CHECKS } from './checks'
import { checkClock } from './clock'
import { checkBackups, checkDisk, roomOf } from './disk'
import { type Check, cannotOpen, type DoctorFinding, problem, runAll } from './finding'
import { checkMachine } from './machine'
import { checkSecret } from './secret'

const CHECKS: readonly Check[] = [checkSecret, checkDisk, checkMachine, checkClock, ...COMMON_CHECKS, checkBackups]

export async function examineFolder(config: Config): Promise<DoctorFinding[]> {
  const file = join(config.dataDir, DATABASE_FILE)
  if (!existsSync(file)) {
    const advice = 'Name the data folder with --data or WATCHWORD_DATA; `watchword serve` makes a new one.'
    return [problem('database', `There is no database: ${file}`, advice)]
  }
  try {
    const { store } = openFile(config, file, { isNew: false, headFile: headFileIn(config.dataDir) })
    return await runAll(CHECKS, { config, store, now: systemClock.now() }).finally(() => store.close())
  } catch (error) {
    // A full disk may be the reason.
    return [cannotOpen(error), ...roomOf(config.dataDir)]
  }
}
