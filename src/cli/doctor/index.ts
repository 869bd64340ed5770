/** `watchword doctor` checks an installation, in a data folder or on PostgreSQL. */
import type { Command } from 'commander'
import { ConfigError, readConfig } from '../../config'
import { type CommonOptions, onDataCommand } from '../command'
import { outputFor, styled } from '../output'
import { type DoctorFinding, problem } from './finding'

export const doctorCommand = (): Command =>
  onDataCommand('doctor', 'check this installation; exits with 1 if there is a problem', 'doctor').action(
    async (options: CommonOptions) => {
      const found = await examine(options)
      outputFor(options.json)({ checks: found }, found.flatMap(linesOf))
      if (found.some(({ state }) => state === 'problem')) process.exitCode = 1
    },
  )

async function examine({ data }: CommonOptions): Promise<DoctorFinding[]> {
  try {
    const config = readConfig(process.env, { DATA: data, LOG_LEVEL: 'silent' })
    // Each examination is loaded only when it is needed.
    if (config.database) return await (await import('./postgres')).examinePostgres(config, config.database)
    return await (await import('./folder')).examineFolder(config)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return [problem('configuration', error.message)]
  }
}

const STYLES = { ok: 'green', warn: 'yellow', problem: 'red' } as const

const linesOf = ({ check, state, message, advice }: DoctorFinding): string[] => [
  `${styled(STYLES[state], state.padEnd(7))}  ${check.padEnd(WIDEST)}  ${message}`,
  ...(advice ? [`${' '.repeat(7 + 2 + WIDEST + 2)}${advice}`] : []),
]

const WIDEST = 'configuration'.length
