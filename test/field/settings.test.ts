/** What a server says of environments that the field has: `settings.ts`. */
import { expect, test } from 'bun:test'
import { ConfigError, readConfig } from '../../src/config'
import { machineMistakes } from '../../src/system/machine-mistakes'
import { SETTINGS } from './settings'

function mistakesOf(env: Record<string, string>): string[] {
  try {
    readConfig(env, {}, ({ HOST, METRICS_LISTEN, DATA }, isFolder) =>
      machineMistakes({
        hosts: { HOST, METRICS_LISTEN: METRICS_LISTEN?.host },
        dataDir: isFolder ? DATA : undefined,
        databaseFile: 'watchword.db',
      }),
    )
    return []
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return error.message.split('\n  ').slice(1)
  }
}

test.each(SETTINGS.map((one) => [one.report, one] as const))(
  'a start names the mistakes of %s',
  (_, { env, mistakes }) => {
    expect(mistakesOf(env)).toEqual(
      mistakes.map((beginning) => expect.stringMatching(new RegExp(`^${RegExp.escape(beginning)}`))),
    )
  },
)
