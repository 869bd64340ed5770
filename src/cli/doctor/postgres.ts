/** The checks of an installation on PostgreSQL, in the order of `CHECKS`. */
import type { Config, DatabaseConfig } from '../../config'
import { conditionOf, conditionsOf, type NodeState } from '../../domain/operations/node'
import { SCHEMA_VERSION } from '../../store/postgres/connection/migrate'
import { readersOf } from '../../store/postgres/connection/pool'
import { inspectServer, roomFor, type ServerReport } from '../../store/postgres/inspect'
import { systemClock } from '../../system/clock'
import { openShared } from '../open'
import { endingOf } from '../output'
import { COMMON_CHECKS } from './checks'
import { checkClocks } from './clock'
import {
  type Check,
  cannotOpen,
  type DoctorFinding,
  findings,
  problem,
  runAll,
  type SharedInstallation,
  type Wrong,
} from './finding'
import { checkMachine } from './machine'
import { checkSecret } from './secret'

const CHECKS: ReadonlyArray<Check<SharedInstallation>> = [
  checkSecret,
  checkDatabase,
  checkTls,
  checkConnections,
  checkPooler,
  checkReplica,
  checkNodes,
  checkMachine,
  checkClocks,
  ...COMMON_CHECKS,
  checkArchive,
]

export async function examinePostgres(config: Config, database: DatabaseConfig): Promise<DoctorFinding[]> {
  try {
    const server = await inspectServer(database.url, systemClock)
    const obstacle = obstacleIn(server)
    if (obstacle) return [obstacle]
    const { store, clock } = await openShared(config, database)
    const installation = { config, store, now: clock.now(), server, pool: database.size }
    return await runAll(CHECKS, installation).finally(() => store.close())
  } catch (error) {
    return [cannotOpen(error)]
  }
}

/** The reason not to open the database: opening would fail, or change it. */
function obstacleIn({ name, schema, isPrimary }: ServerReport): DoctorFinding | undefined {
  if (!isPrimary)
    return problem(
      'database',
      `${name} is a replica, which cannot be written.`,
      'Name the primary in WATCHWORD_DATABASE_URL.',
    )
  if (!schema)
    return problem(
      'database',
      `There is nothing of Watchword in ${name}.`,
      'The first `watchword serve` or `watchword app create` lays out its tables.',
    )
  if (schema.version < SCHEMA_VERSION)
    return {
      check: 'database',
      state: 'warn',
      message: `The database has schema version ${schema.version}, and this binary brings ${SCHEMA_VERSION}.`,
      advice: 'The first server of this release brings it up to date; the others go on beside it. Ask again then.',
    }
  return undefined
}

/** Checks that WAL archiving works. A `pg_dump` schedule is not visible from here. */
export function checkArchive({ server: { archive } }: SharedInstallation) {
  const wrong: Wrong[] = [
    {
      state: 'problem',
      message: "PostgreSQL's archive takes nothing: there is no going back to any moment since.",
      advice: 'Look at pg_stat_archiver and at archive_command; what is not archived fills the disk.',
    },
  ]
  const otherwise = archive.isOn
    ? "PostgreSQL's archive takes what it is given. Keep WATCHWORD_SECRET apart from it."
    : 'PostgreSQL keeps no archive; whether pg_dump runs every night cannot be seen from here.'
  return findings('backups', archive.isOn && archive.isFailing ? wrong : [], otherwise)
}

/** Checks that the database allows enough connections for all servers. */
export async function checkConnections({ server: { connections }, pool, store, now }: SharedInstallation) {
  const nodes = (await store.read.nodes()).filter((node) => conditionOf(node, now) !== 'silent').length
  const each = pool + readersOf(pool)
  const taken = `Each server takes up to ${each} of ${connections} connections`
  const wrong: Wrong[] = [
    {
      state: 'problem',
      message: `${taken}, and ${nodes} are at work.`,
      advice: 'Raise max_connections (or the limit of the role or the database), or lower WATCHWORD_DATABASE_POOL.',
    },
  ]
  return findings(
    'connections',
    Math.max(1, nodes) * each > connections ? wrong : [],
    `${taken}: ${nodes} are at work, and ${Math.floor(connections / each)} could be.`,
  )
}

/** Checks that a pooler in front of the database has room for another server, as a deploy needs it. */
async function checkPooler({ config: { database }, server: { isPooled }, pool }: SharedInstallation) {
  if (!database || !isPooled) return []
  const wanted = pool + readersOf(pool)
  const given = await roomFor(database.url, wanted, systemClock)
  const told = `The pooler in front of the database gives ${given} of the ${wanted} connections that another server takes`
  const advice = `Raise its default_pool_size: two servers need ${2 * wanted}, and a few for commands.`
  return findings('pooler', given < wanted ? [{ state: 'problem', message: `${told}.`, advice }] : [], `${told}.`)
}

const MIB = 2 ** 20

/** Checks that the database is writable, and reports its version. */
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
  // A later release may have migrated it, or may be rolling out.
  const newer = (server.schema?.version ?? 0) > SCHEMA_VERSION ? ` (this binary brings ${SCHEMA_VERSION})` : ''
  return findings('database', wrong, `${server.name} can be written: ${what}${newer}.`)
}

/** Checks the servers that share the database. */
export async function checkNodes({ store, now }: SharedInstallation) {
  const nodes = conditionsOf(await store.read.nodes(), now)
  const silent = nodes.filter(({ condition }) => condition === 'silent')
  const present = nodes.filter(({ condition }) => condition === 'working' || condition === 'leaving')
  const versions = new Set(present.map(({ version }) => version))
  const wrong: Wrong[] = silent.map(({ nodeId, name, version, seenAt }) => ({
    state: 'warn',
    message: `${name} (${version}) has sent no heartbeat since ${new Date(seenAt).toISOString()} and did not shut down cleanly.`,
    advice: `It was killed, or cannot reach the database; others do its work. Start it again, or: watchword nodes forget ${nodeId}`,
  }))
  if (versions.size > 1) {
    wrong.push({
      state: 'warn',
      message: `Servers of different versions are at work: ${told(present)}.`,
      advice: 'During a deploy that is as it should be; afterwards, replace those that are left.',
    })
  }
  if (present.length === 0 && silent.length === 0) {
    const advice = '`watchword serve` starts one; with WATCHWORD_DATABASE_URL set it joins the others.'
    wrong.push({ state: 'warn', message: 'No server is at work.', advice })
  }
  return findings('nodes', wrong, `At work: ${told(present)}.`)
}

const told = (nodes: readonly NodeState[]) => nodes.map(({ name, version }) => `${name} (${version})`).join(', ')

const FAR_BEHIND_MS = 60_000
const ADVICE = 'Nothing is lost: lists come from the database itself meanwhile. Look at WATCHWORD_DATABASE_REPLICA_URL.'

/** Checks that the replica, if one is set, can answer list queries. */
async function checkReplica({ config: { database } }: SharedInstallation): Promise<DoctorFinding[]> {
  const url = database?.replicaUrl
  if (url === undefined) return findings('replica', [], 'No replica is set: lists come from the database itself.')
  const found = await inspectServer(url, systemClock).catch((error: unknown) => endingOf(error).message)
  const message = typeof found === 'string' ? found : whatIsWrong(found)
  const wrong: Wrong[] = message === undefined ? [] : [{ state: 'warn', message, advice: ADVICE }]
  return findings('replica', wrong, 'The replica answers, and follows.')
}

function whatIsWrong({ name, isPrimary, behindMs, schema }: ServerReport): string | undefined {
  if (isPrimary) return `${name} is no replica.`
  if (!schema) return `There is nothing of Watchword in ${name}.`
  return behindMs > FAR_BEHIND_MS ? `${name} is ${Math.round(behindMs / 1_000)} s behind.` : undefined
}

const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']
const TLS_ADVICE =
  'Add sslmode=verify-full to WATCHWORD_DATABASE_URL, and sslrootcert=FILE where its authority is your own.'

/** Checks that the connection to the database is encrypted and its certificate verified. */
export function checkTls({ server: { name, encryption, checking } }: SharedInstallation) {
  const warn = (message: string): Wrong[] => [{ state: 'warn', message, advice: TLS_ADVICE }]
  const isHere = LOOPBACK.includes(new URL(name).hostname)
  if (encryption === undefined) {
    const message = 'The connection to the database is not encrypted'
    return findings('tls', isHere ? [] : warn(`${message}.`), `${message}, and does not leave this machine.`)
  }
  const unchecked = {
    'no TLS': `The connection is encrypted (${encryption}), but nothing asks for that.`,
    nothing: `The connection is encrypted (${encryption}) with whoever answers: no certificate is looked at.`,
    'the certificate': `The connection is encrypted (${encryption}) with anybody whom the authority vouches for: the name is not looked at.`,
  }
  const wrong = checking === 'certificate and name' ? [] : warn(unchecked[checking])
  return findings('tls', wrong, `The connection is encrypted (${encryption}), and certificate and name are right.`)
}
