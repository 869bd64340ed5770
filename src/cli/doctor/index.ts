/** `watchword doctor`: what is wrong with this installation. A check more is a file more and an entry in `CHECKS`. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { type Config, ConfigError, readConfig } from '../../config'
import { systemClock } from '../../system/clock'
import { headFileIn } from '../../system/head-file'
import { type CommonOptions, onDataCommand } from '../command'
import { endingOf } from '../failure'
import { DATABASE_FILE, openFile } from '../open'
import { outputFor, styled } from '../output'
import { checkAudit } from './audit'
import { checkBackups } from './backups'
import { checkCarriers } from './carriers'
import { checkChanges } from './changes'
import { checkClock } from './clock'
import { checkDisk } from './disk'
import type { Check, Finding } from './finding'
import { checkKeys } from './keys'
import { checkProxy } from './proxy'
import { checkSecret } from './secret'
import { checkTemplates } from './templates'

const CHECKS: readonly Check[] = [
  checkSecret,
  checkDisk,
  checkClock,
  checkProxy,
  checkCarriers,
  checkKeys,
  checkTemplates,
  checkChanges,
  checkAudit,
  checkBackups,
]

export const doctorCommand = (): Command =>
  onDataCommand('doctor', 'say what is wrong with this installation; exits with 1 where something is', 'doctor').action(
    async (options: CommonOptions) => {
      const found = await examine(options)
      outputFor(options.json)({ checks: found }, found.flatMap(linesOf))
      if (found.some(({ state }) => state === 'problem')) process.exitCode = 1
    },
  )

async function examine({ data }: CommonOptions): Promise<Finding[]> {
  try {
    return await examineFolder(readConfig(process.env, { DATA: data, LOG_LEVEL: 'silent' }))
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [problem('configuration', error.message)]
  }
}

async function examineFolder(config: Config): Promise<Finding[]> {
  const file = join(config.dataDir, DATABASE_FILE)
  if (!existsSync(file)) {
    const advice = 'Name the data folder with --data or WATCHWORD_DATA; `watchword serve` makes a new one.'
    return [problem('database', `There is no database: ${file}`, advice)]
  }
  try {
    const { store } = openFile(config, file, { isNew: false, headFile: headFileIn(config.dataDir) })
    try {
      const installation = { config, store, now: systemClock.now() }
      const found: Finding[] = []
      for (const check of CHECKS) found.push(...(await check(installation)))
      return found
    } finally {
      await store.close()
    }
  } catch (error) {
    const { code, message } = endingOf(error)
    if (code === 'defect') throw error
    return [problem('database', message, 'No other check is possible before the database opens.')]
  }
}

const problem = (check: string, message: string, advice?: string): Finding => ({
  check,
  state: 'problem',
  message,
  ...(advice && { advice }),
})

const STYLES = { ok: 'green', warn: 'yellow', problem: 'red' } as const

const linesOf = ({ check, state, message, advice }: Finding): string[] => [
  `${styled(STYLES[state], state.padEnd(7))}  ${check.padEnd(8)}  ${message}`,
  ...(advice ? [`${' '.repeat(19)}${advice}`] : []),
]
