/** Which PostgreSQL it is, and whether it can be written. */
import { SCHEMA_VERSION } from '../../store/postgres/connection/migrate'
import { findings, type SharedInstallation, type Wrong } from './finding'

const MIB = 2 ** 20

export async function checkDatabase({ server, store }: SharedInstallation) {
  const wrong = await store.assertWritable().then(
    (): Wrong[] => [],
    (): Wrong[] => [
      {
        state: 'problem',
        message: `${server.name} cannot be written.`,
        advice: 'Look at its free space and its log, and whether default_transaction_read_only is set.',
      },
    ],
  )
  const size = Math.round((await store.read.size()) / MIB)
  const what = `PostgreSQL ${server.version}, ${size} MiB, schema version ${server.schema?.version}`
  // A later release may have been there, or is just being deployed.
  const newer = (server.schema?.version ?? 0) > SCHEMA_VERSION ? ` (this binary brings ${SCHEMA_VERSION})` : ''
  return findings('database', wrong, `${server.name} can be written: ${what}${newer}.`)
}
