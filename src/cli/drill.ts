/** `watchword drill` restores a backup into a scratch folder and checks that it works, before it is needed. */
import { existsSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { createApp } from '../app'
import { type Config, readConfig } from '../config'
import type { Issue } from '../domain/codes/issue'
import { ROUTE_PATTERNS } from '../http/route-table'
import type { Dial, HookTransport, Transport } from '../ports/network'
import { countsOf, type RowsSince, since } from '../store/sqlite/inspect'
import { copyWhole, listBackups } from '../system/backups'
import { systemClock } from '../system/clock'
import { listen, watchDescriptors } from '../system/listen'
import { systemPasswords } from '../system/passwords'
import { createTelemetry } from '../system/telemetry'
import { systemRandom } from '../system/vault'
import * as administer from '../usecases/administer'
import { type CommonOptions, onDataCommand } from './command'
import { assertBackup, assertChecksum, type CopyOptions, despiteAuditOption, openCopy, sha256Option } from './copy'
import { adminOf, DATABASE_FILE, type Opened } from './open'
import { Failure, iso, notEmbedded, outputFor } from './output'

interface DrillOptions extends CommonOptions, CopyOptions {
  from?: string
  scratch: string
}

export const drillCommand = (): Command =>
  onDataCommand(
    'drill',
    'restore the newest backup into a scratch folder, query it, and report the duration and the data that would be lost; sends nothing',
    'drill',
    'drill --from watchword-data/backups/watchword-2027-01-31T04-00-00.000Z.db --json',
  )
    .option('--from <file>', 'this backup (default: the newest in the data folder)')
    .option('--scratch <dir>', 'where the scratch folder is created and removed', tmpdir())
    .addOption(sha256Option())
    .addOption(despiteAuditOption())
    .action(async (options: DrillOptions) => {
      const config = readConfig(process.env, { DATA: options.data, LOG_LEVEL: 'warn' })
      if (config.database)
        throw notEmbedded(
          'drill restores a backup of a data folder',
          'pg_restore into an empty one, and ask a server there',
        )
      const told = await drill(config, backupOf(config, options), options)
      const { lost } = told
      outputFor(options.json)({ ...told, ...(lost && { lost: objectOf(lost) }) }, linesOf(told))
    })

function backupOf({ dataDir }: Config, { from }: DrillOptions): string {
  const [newest] = listBackups(dataDir)
  const file = from ?? (newest && join(dataDir, 'backups', newest.name))
  if (!file && !existsSync(join(dataDir, DATABASE_FILE)))
    throw new Failure('no_database', `There is no database: ${join(dataDir, DATABASE_FILE)}`)
  if (!file) throw new Failure('not_found', `There are no backups in ${dataDir}: \`watchword backup\` creates one.`)
  assertBackup(file, join(dataDir, DATABASE_FILE))
  return file
}

interface Drilled {
  backup: string
  bytes: number
  sha256: string
  held: Record<string, number>
  asked: DrillFindings
  /** Milliseconds until a server on the copy answered. */
  ms: { copy: number; verify: number; answer: number; total: number }
  /** Undefined if there is no readable database to compare the backup with. */
  lost: RowsSince | undefined
}

/** Throws if any check fails. Removes the scratch folder in every case. */
async function drill(config: Config, backup: string, { scratch, ...demands }: DrillOptions): Promise<Drilled> {
  const folder = mkdtempSync(join(scratch, 'watchword-drill-'))
  try {
    assertRoom(folder, backup)
    const copy = join(folder, DATABASE_FILE)
    const [, copied] = await timed(() => copyWhole(backup, copy))
    const [{ opened, sha256 }, verified] = await timed(async () => {
      const sha256 = await assertChecksum(copy, demands)
      return { opened: await openCopy(config, copy, demands), sha256 }
    })
    // Compares before `ask` runs, because `ask` adds a key.
    const held = countsOf(copy)
    const lost = sinceCopy(join(config.dataDir, DATABASE_FILE), copy)
    const [asked, answered] = await timed(() => ask(opened))
    const ms = { copy: copied, verify: verified, answer: answered, total: copied + verified + answered }
    return { backup, bytes: statSync(backup).size, sha256, held, asked, ms, lost }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The answers of the server, and the milliseconds until they came. */
async function timed<T>(work: () => T | Promise<T>): Promise<[T, number]> {
  const begunAt = systemClock.elapsed()
  const answer = await work()
  return [answer, Math.round(systemClock.elapsed() - begunAt)]
}

/** A migration to a newer schema writes at most the size of the database again. */
function assertRoom(folder: string, backup: string): void {
  const { bavail, bsize } = statfsSync(folder)
  const needed = 2 * statSync(backup).size
  if (bavail * bsize < needed)
    throw new Failure('invalid', `A drill needs ${needed} bytes in ${folder}: name another place with --scratch.`)
}

function sinceCopy(database: string, copy: string): RowsSince | undefined {
  if (!existsSync(database)) return undefined
  try {
    return since(database, copy)
  } catch (error) {
    // An unreadable database is a case for the backup, not a failure of the drill.
    if (error instanceof Error && error.name === 'SQLiteError') return undefined
    throw error
  }
}

const objectOf = ({ newest, newestInCopy, ...counts }: RowsSince) => ({
  ...counts,
  ...{ since: iso(newestInCopy), newest: iso(newest) },
})

const linesOf = ({ backup, bytes, sha256, held, asked, ms, lost }: Drilled): string[] => [
  `${backup} (${bytes} bytes) would do: it is whole, this secret opens it, its ledger adds up, and a server on it answers.`,
  `Its SHA-256: ${sha256}`,
  `It took ${ms.total} ms: ${ms.copy} to copy, ${ms.verify} to look at all of it, ${ms.answer} to start and to answer.`,
  `In it: ${Object.entries(held)
    .map(([name, count]) => `${count} ${name.replace(/[A-Z]/g, (rendered) => ` ${rendered.toLowerCase()}`)}`)
    .join(', ')}.${asked.issueId ? ` Its newest issue is ${asked.issueId}, as a server on it says.` : ''}`,
  lost ? lossOf(lost) : 'What would be lost is not known: there is no database here that can be read.',
]

const lossOf = ({ issues, ledgerEntries, auditEntries, newest, newestInCopy }: RowsSince) =>
  `Lost would be ${issues} issues, ${ledgerEntries} ledger entries and ${auditEntries} entries of the audit log, and what ` +
  `has changed since ${iso(newestInCopy) ?? 'the beginning'}; the newest is of ${iso(newest) ?? 'no time'}.`

export interface DrillFindings {
  /** The newest live issue of all apps, if there is one. */
  issueId?: string
}

/**
 * Asks a server on the copy. It sends nothing, since no job runs. Throws a `Failure` if an answer differs from the
 * database. Closes the store.
 */
export async function ask(opened: Opened): Promise<DrillFindings> {
  const descriptors = watchDescriptors(opened.log)
  // The app is never started, so it only answers requests and runs no job.
  const app = createApp(opened.config, {
    ...{ ...opened, fleet: undefined, random: systemRandom, descriptors, passwords: systemPasswords },
    ...{
      transport: NOBODY,
      toOperator: NOBODY,
      mailer: { send: async () => 'drill', verify: async () => 'drill' },
      dial: noDial,
      hooks: NO_HOOKS,
      backups: () => ({ made: [] }),
      telemetry: createTelemetry(opened),
      schedule: () => () => {},
    },
  })
  const listener = listen({ host: '127.0.0.1', port: 0, fetch: app.fetch, routePatterns: ROUTE_PATTERNS, descriptors })
  try {
    const server = new DrillQuestions(listener.url)
    await server.get('/healthz')
    const issue = await newestIssue(opened)
    const appId = issue?.appId ?? (await opened.store.read.apps.all())[0]?.appId
    return appId === undefined ? {} : await askOf(appId, issue, { ...opened, server })
  } finally {
    await listener.stop(0)
    await app.stop()
  }
}

const NOBODY: Transport = { request: async () => ({ kind: 'not_sent', reason: 'drill' }) }
const NO_HOOKS: HookTransport = { post: async () => ({ kind: 'forbidden', reason: 'address' }) }
const noDial: Dial = (_, { closed }) => {
  queueMicrotask(() => closed('drill'))
  return { write() {}, unwrittenBytes: () => 0, destroy() {} }
}

async function newestIssue({ store: { read }, clock }: Opened): Promise<Issue | undefined> {
  const found: Issue[] = []
  for (const { appId } of await read.apps.all())
    found.push(...(await read.issues.page({ appId, mode: 'live' }, { limit: 1 }, clock.now())))
  return found.toSorted((a, b) => b.createdAt - a.createdAt)[0]
}

/** Calls the API like a backend, with a key that exists in the copy only. */
async function askOf(
  appId: string,
  issue: Issue | undefined,
  { server, ...opened }: Opened & { server: DrillQuestions },
): Promise<DrillFindings> {
  const key = await keyOf(appId, opened)
  const { balance } = await server.get('/v1/balance', key)
  const wallet = await opened.store.read.wallets.find(appId)
  assertSame('balance', balance, wallet?.balance ?? 0)
  if (!issue) return {}
  const { issueId } = issue
  const status = await server.get(`/v1/status?issueId=${issueId}`, key)
  assertSame('newest issue', status.issueId, issueId)
  return { issueId }
}

async function keyOf(appId: string, opened: Opened): Promise<string> {
  const deps = adminOf(opened)
  // The app may already have the maximum number of keys.
  const [old] = await opened.store.read.keys.ofApp(appId)
  if (old) await administer.revokeKey(deps, old.keyId)
  return (await administer.createKey(deps, { appId, kind: 'sk', mode: 'live' })).key
}

function assertSame(what: string, answered: unknown, held: unknown): void {
  if (answered !== held)
    throw new Failure('damaged_database', `Of the ${what} a server on it says ${answered}, not ${held}.`)
}

class DrillQuestions {
  constructor(private readonly url: string) {}

  async get(path: string, key?: string): Promise<Record<string, unknown>> {
    const headers = new Headers(key === undefined ? {} : { authorization: `Bearer ${key}` })
    // The server would wait for a kept-alive connection when it stops.
    const response = await fetch(this.url + path, { headers, keepalive: false })
    if (response.status !== 200)
      throw new Failure('damaged_database', `A server on it answers ${path} with ${response.status}.`)
    return (await response.json()) as Record<string, unknown>
  }
}
