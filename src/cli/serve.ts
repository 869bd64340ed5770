/** `watchword serve`. */
import { join } from 'node:path'
import { createApp } from '../app'
import { numbers } from '../domain/phone/phone'
import { removeLeftovers, unreadableBackups } from '../system/backups'
import { systemSchedule } from '../system/clock'
import { diskOf } from '../system/data-dir-files'
import { lockDataDir } from '../system/data-dir-lock'
import { systemDial } from '../system/dial'
import { createHookTransport } from '../system/hook-transport'
import { assertParses, warmUpConnections } from '../system/http-connection'
import { hasInheritedSocket } from '../system/inherited-socket'
import { ConnectionPool } from '../system/kept-connections'
import { leaveNoCoreFiles } from '../system/libc'
import { watchDescriptors } from '../system/listen'
import { createMailer } from '../system/mailer'
import { systemPasswords } from '../system/passwords'
import { exposedKeyFile } from '../system/secret'
import { serviceManager } from '../system/service-manager'
import { createTransport } from '../system/transport'
import { systemRandom } from '../system/vault'
import { takeErasures } from '../usecases/erase-phone'
import { setUpToken } from '../usecases/people/links'
import { checkAuditEnd } from '../usecases/verify-audit'
import { untilAnswered } from './awaited-database'
import { listenFor, listeningAt } from './listener'
import { adminOf, DATABASE_FILE, type Opened, placeOf } from './open'
import { backupsOf, scheduleBackups } from './scheduled-backups'
import { startTelemetry } from './telemetry'

const WARM_UP_AFTER_MS = 50
const turn = () => new Promise(setImmediate)
/** Requests that come while a server is replaced wait so long at most; their callers wait for some seconds, too. */
const WAIT_IN_SOCKET_MS = 5_000
const COLLECTED_AT_ONCE_BYTES = 32 * 2 ** 20

export interface Served {
  url: string
  /** URL of a separate listener for metrics, if there is one. */
  metricsUrl: string | undefined
  /** Link that creates the first operator while there is none. */
  setUpUrl: string | undefined
  /**
   * Drains: announces the shutdown, keeps answering until load balancers know, finishes running work, then exits with
   * 0.
   */
  drain(reason: string): Promise<void>
}

/** Starts everything and returns once the server listens. SIGTERM and SIGINT drain it. */
export async function serve(opened: Opened): Promise<Served> {
  const { config, log, fleet } = opened
  leaveNoCoreFiles()
  // Only one server may use a data folder.
  if (!fleet) {
    lockDataDir(config.dataDir)
    const removed = removeLeftovers(config.dataDir)
    if (removed.length > 0) log.info({ removed }, 'removed what killed backups had left')
    const unreadable = unreadableBackups(config.dataDir)
    if (unreadable !== undefined) log.warn({ reason: unreadable }, 'the folder of the backups cannot be read')
  }
  warnOfKeyFile(opened)
  const descriptors = opened.front?.descriptors ?? watchDescriptors(log)
  assertParses()
  const cannotKeep = () =>
    log.warn({}, 'connections to carriers are not kept: this runtime does not tell the descriptor of a socket')
  const toCarriers = new ConnectionPool(undefined, descriptors.remaining, cannotKeep)
  const toReceivers = new ConnectionPool()
  const toOperator = new ConnectionPool()
  const closeIdle = () => {
    for (const connections of [toCarriers, toReceivers, toOperator]) connections.closeIdle()
  }
  descriptors.onShortage(closeIdle)
  // The name in the list of servers.
  const instanceId = fleet?.nodeId ?? systemRandom.uuid(opened.clock.now())
  const telemetry = await startTelemetry(config, log, instanceId)
  if (telemetry.ofStore) opened.store.setTelemetry(telemetry.ofStore)
  const app = createApp(config, {
    ...opened,
    ...{ telemetry: telemetry.telemetry, metrics: telemetry.metrics },
    fleet: fleet && { fleet, name: `${process.getBuiltinModule('node:os').hostname()}:${process.pid}` },
    random: systemRandom,
    transport: createTransport(toCarriers),
    toOperator: createTransport(toOperator),
    mailer: createMailer(),
    dial: systemDial,
    descriptors,
    passwords: systemPasswords,
    backups: () => (fleet ? { made: [] } : backupsOf(config)),
    disk: fleet ? undefined : () => diskOf(join(config.dataDir, DATABASE_FILE)),
    hooks: createHookTransport({ connections: toReceivers }),
    schedule: systemSchedule,
    // The engine would keep the memory of the start until it needs as much again. A large heap is not collected here,
    // because that would delay the start.
    warmedUp: () => Bun.gc(process.memoryUsage().heapUsed < COLLECTED_AT_ONCE_BYTES),
  })
  // A PostgreSQL that goes away during the start is waited for, as one that is away before it.
  const patiently = <T>(step: () => Promise<T>) => (fleet ? untilAnswered(placeOf(config), log, step) : step())
  // Runs before anything writes to the audit log.
  await patiently(() => checkAuditEnd(opened))
  // Groups their writes into one commit.
  const [token] = await patiently(() => Promise.all([setUpToken(opened), bringErasures(opened)]))
  await patiently(() => app.begin({ alone: !fleet }))
  // Both listeners are there before the first message goes out: a start that ends at a port that is taken leaves none under way.
  const { listen: metricsAt } = config.metrics
  const beginMetrics = () => telemetry.begin(app.vitals, descriptors)
  const another = (other: number) => `WATCHWORD_METRICS_LISTEN=${metricsAt?.host}:${other}`
  // Other servers know of this one already.
  const orLeave = async <T>(step: () => T): Promise<T> => {
    try {
      return step()
    } catch (error) {
      await app.stop()
      throw error
    }
  }
  const metricsUrl = await orLeave(() =>
    metricsAt ? listeningAt(metricsAt, { setting: 'WATCHWORD_METRICS_LISTEN', another }, beginMetrics) : beginMetrics(),
  )
  // Between the parts, transactions have their turn: one that waited for all of them would look like overload.
  const warmUp = async () => {
    const warm = app.warmUp()
    for (const load of [numbers, warmUpConnections, log.warmUp]) {
      await turn()
      load()
    }
    await warm
  }
  // Requests wait in a socket that was handed over, and other servers answer them, until the last day is read and all is loaded.
  const isAwaited = !opened.front && (fleet !== undefined || hasInheritedSocket(process.env))
  if (isAwaited) await Promise.race([warmUp(), Bun.sleep(WAIT_IN_SOCKET_MS)])
  opened.front?.serve(app.fetch)
  const listener = opened.front?.listener ?? (await orLeave(() => listenFor(config, { fetch: app.fetch, descriptors })))
  app.dispatch()

  let isDraining = false
  // Reports that it listens before the remaining work.
  const manager = serviceManager(process.env)
  const whenWarm = () => warmUp().then(() => isDraining || manager.ready(app.isDispatching))
  setImmediate(() => setTimeout(() => isDraining || whenWarm(), WARM_UP_AFTER_MS).unref())
  const endBackups = scheduleBackups(config, log)
  const drain = async (reason: string) => {
    if (isDraining) return
    isDraining = true
    log.info({ reason }, 'draining')
    manager.stopping()
    endBackups()
    const leaving = app.leave()
    await listener.stop(config.leavingMs)
    await leaving
    await app.stop()
    await telemetry.stop()
    closeIdle()
    await log.end()
    process.exit(0)
  }
  process.on('SIGUSR2', () => changeLevel(opened))
  process.on('SIGTERM', () => drain('SIGTERM'))
  process.on('SIGINT', () => drain('SIGINT'))
  // The token stands after the #, so that it reaches no server and no log.
  const setUpUrl = token && `${config.publicUrl ?? listener.url}/console/set-up#${token}`
  return { url: listener.url, metricsUrl, setUpUrl, drain }
}

/** Raises the log level to the most detailed one, and back. */
function changeLevel({ log, config }: Opened): void {
  const level = log.level === 'debug' ? config.logLevel : 'debug'
  log.level = level
  log.info({ to: level }, 'log level changed')
}

/** A backup may have been restored by hand. The first sweep repeats the erasures that are newer than it. */
async function bringErasures(opened: Opened): Promise<void> {
  const { config, erasedFile, log } = opened
  const deps = { ...adminOf(opened), erasedFile, liveRetentionDays: config.liveRetentionDays }
  const phones = erasedFile ? await takeErasures(deps, erasedFile.read()) : 0
  if (phones > 0) log.warn({ phones }, 'phones that were erased are in the database again, and are being erased')
}

function warnOfKeyFile({ config, log }: Opened): void {
  const exposed = exposedKeyFile(config.dataDir, config.secret)
  if (exposed) log.warn({ file: exposed }, 'the key file can be read by others than its owner; chmod 600')
}
