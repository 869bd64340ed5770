/** `watchword serve`. */
import { createApp } from '../app'
import { numbers } from '../domain/phone/numbers'
import { systemSchedule } from '../system/clock'
import { holdAlone } from '../system/data-dir-lock'
import { watchDescriptors } from '../system/descriptors'
import { systemDial } from '../system/dial'
import { createHookTransport } from '../system/hook-transport'
import { assertParses, warmUpConnections } from '../system/http-connection'
import { KeptConnections } from '../system/kept-connections'
import { leaveNoCoreFiles } from '../system/libc'
import { systemPasswords } from '../system/passwords'
import { systemRandom } from '../system/random'
import { exposedKeyFile } from '../system/secret'
import { createTransport } from '../system/transport'
import { takeErasures } from '../usecases/erase-phone'
import { setUpToken } from '../usecases/people/links'
import { checkAuditEnd } from '../usecases/verify-audit'
import { backupsOf, makeBackupsAtTheirTimes } from './backup-times'
import { listenFor, orInUse } from './listener'
import { adminOf, type Opened } from './open'
import { startTelemetry } from './telemetry'

const WARM_UP_AFTER_MS = 50
/** In some twenty milliseconds. */
const COLLECTED_AT_ONCE_BYTES = 32 * 2 ** 20

export interface Served {
  url: string
  /** Of the listener for metrics alone, where there is one. */
  metricsUrl: string | undefined
  /** The link that makes the first operator, where there is none. */
  setUpUrl: string | undefined
  /** Says that it goes, answers until everybody knows, finishes what runs, and ends the process with 0. */
  drain(reason: string): Promise<void>
}

/** Starts everything; SIGTERM and SIGINT drain. Answers once it listens. */
export async function serve(opened: Opened): Promise<Served> {
  const { config, log, fleet } = opened
  leaveNoCoreFiles()
  // One server works on a data folder.
  if (!fleet) holdAlone(config.dataDir)
  warnOfKeyFile(opened)
  const descriptors = opened.front?.descriptors ?? watchDescriptors(log)
  assertParses()
  const cannotKeep = () =>
    log.warn({}, 'connections to carriers are not kept: this runtime does not tell the descriptor of a socket')
  const toCarriers = new KeptConnections(undefined, descriptors.left, cannotKeep)
  const toReceivers = new KeptConnections()
  const toOperator = new KeptConnections()
  const closeIdle = () => {
    for (const connections of [toCarriers, toReceivers, toOperator]) connections.closeIdle()
  }
  descriptors.makeRoom(closeIdle)
  // As the list of servers has it.
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
    dial: systemDial,
    descriptors,
    passwords: systemPasswords,
    backups: () => (fleet ? { made: [] } : backupsOf(config)),
    hooks: createHookTransport({ connections: toReceivers }),
    schedule: systemSchedule,
    // The engine would keep it until as much is needed again. Where that is much, nobody waits until it is collected.
    settled: () => Bun.gc(process.memoryUsage().heapUsed < COLLECTED_AT_ONCE_BYTES),
  })
  // Before anything adds to the log.
  await checkAuditEnd(opened)
  // One commit for what they write.
  const [token] = await Promise.all([setUpToken(opened), bringErasures(opened)])
  await app.start({ alone: !fleet })
  const { metrics } = config
  const metricsUrl = orInUse(
    metrics.listen?.port,
    (other) => `WATCHWORD_METRICS_LISTEN=${metrics.listen?.host}:${other}`,
    () => telemetry.begin(app.vitals, descriptors),
  )
  opened.front?.serve(app.fetch)
  const listener = opened.front?.listener ?? listenFor(config, { fetch: app.fetch, descriptors })

  let isDraining = false
  // Whoever waits for it to listen is told first.
  const warmUp = () => {
    if (isDraining) return
    app.warmUp()
    numbers()
    warmUpConnections()
    log.warmUp()
  }
  setImmediate(() => setTimeout(warmUp, WARM_UP_AFTER_MS).unref())
  const endBackups = makeBackupsAtTheirTimes(config, log)
  const drain = async (reason: string) => {
    if (isDraining) return
    isDraining = true
    log.info({ reason }, 'draining')
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
  // Behind the #, where it reaches no server and no log.
  const setUpUrl = token && `${config.publicUrl ?? listener.url}/console/set-up#${token}`
  return { url: listener.url, metricsUrl, setUpUrl, drain }
}

/** To everything, and back to what is set. */
function changeLevel({ log, config }: Opened): void {
  const level = log.level === 'debug' ? config.logLevel : 'debug'
  log.level = level
  log.info({ to: level }, 'log level changed')
}

/** A backup may have been put in place by hand: what was erased since goes again with the first sweep. */
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
