/** Compares the limits of the machine with the needs of the server. docs/limits.md has the figures. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../../config'
import { conditionOf } from '../../domain/operations/node'
import type { Reader } from '../../ports/store'
import { CARRIER_TYPES } from '../../providers/carriers'
import { readersOf } from '../../store/postgres/connection/pool'
import { LOCK_FILE } from '../../system/data-dir-lock'
import { lockHolderOf, type MachineLimits, machineLimitsOf } from '../../system/machine-limits'
import { type DoctorFinding, findings, type Installation, type Wrong } from './finding'

const MIB = 2 ** 20
/** Descriptors for its own files and for polling delivery reports. */
const OWN_DESCRIPTORS = 96
const WEBHOOKS = 256
/** Descriptors for clients. With fewer, connections of a proxy or a small crowd are refused. */
const FEW_DESCRIPTORS = 1_024
/** With 64 MiB the server is killed under load. Below this value it has no reserve for peaks and password hashing. */
const DEADLY_BYTES = 128 * MIB
const LITTLE_BYTES = 384 * MIB
/** Codes are still fast with half a processor. */
const LITTLE_PROCESSOR = 0.5
/**
 * Threads needed on two processors. With fewer, the server dies at the start, at its first checkpoint or at its end, or
 * sends nothing.
 */
const DEADLY_THREADS = 10
/** On eight processors and more the server uses 21 threads, and a backup process 13. */
const FEW_THREADS = 40
const USUAL_THREADS = 64
/** Bun requests this many. */
const WAITING = 512

export const checkMachine = async (installation: Installation): Promise<DoctorFinding[]> => {
  const { config, store, now } = installation
  return judgeMachine(await examineeOf(config, store.read, now), await connectionsOf(installation))
}

/** Maximum of simultaneous connections to carriers, receivers and the database. */
export async function connectionsOf({ config, store }: Pick<Installation, 'config' | 'store'>): Promise<number> {
  const carriers = (await store.read.carriers.all()).map(({ type, concurrency = config.carrierConcurrency }) =>
    CARRIER_TYPES[type]?.places ? 1 : concurrency,
  )
  const { size } = config.database ?? { size: 0 }
  return carriers.reduce((sum, places) => sum + places, WEBHOOKS + size + readersOf(size))
}

/** `connections` counts outgoing connections. */
export function judgeMachine({ name, box }: Examinee, connections: number): DoctorFinding[] {
  const { descriptors, memory, processors, threads, waiting } = box
  const wrong: Wrong[] = [
    ...ofDescriptors(name, descriptors, connections),
    ...ofMemory(name, memory),
    ...below(processors, LITTLE_PROCESSOR, (has) => ({
      message: `${name} gets ${has} of a processor: codes and answers wait for it.`,
      advice: 'Raise CPUQuota of the unit, or the limit of the container, to 1 or more.',
    })),
    ...below(threads, FEW_THREADS, (has) => ({
      state: has < DEADLY_THREADS ? 'problem' : 'warn',
      message: `${name} may have ${has} threads with all that shares its group; where it needs one more it is ended, or hangs.`,
      advice: `Raise TasksMax of the unit, or pids of the container, to ${USUAL_THREADS} or more.`,
    })),
    ...below(waiting, WAITING, (has) => ({
      message: `${has} connections may wait to be taken: more at once are turned away by the system.`,
      advice: `sysctl net.core.somaxconn=${WAITING * 8}`,
    })),
  ]
  return findings('machine', wrong, `${name} has ${inWords(box)}.`)
}

function ofDescriptors(name: string, has: number | undefined, connections: number): Wrong[] {
  const forClients = (has ?? Number.POSITIVE_INFINITY) - connections - OWN_DESCRIPTORS
  if (forClients >= FEW_DESCRIPTORS) return []
  const split = `carriers, webhooks and database may take ${connections} of them`
  return [
    {
      state: forClients > 0 ? 'warn' : 'problem',
      message: `${name} may have ${has} file descriptors; ${split}${forClients > 0 ? `, which leaves ${forClients} for clients` : ''}.`,
      advice: 'Raise LimitNOFILE of the unit (65536 is well), or `--ulimit nofile` of the container.',
    },
  ]
}

const ofMemory = (name: string, has: number | undefined): Wrong[] =>
  below(has, LITTLE_BYTES, (bytes) => ({
    state: bytes < DEADLY_BYTES ? 'problem' : 'warn',
    message: `${name} may take ${Math.round(bytes / MIB)} MiB of memory; beyond that it is killed.`,
    advice: 'Raise MemoryMax of the unit, or the limit of the container: 512 MiB, and 1 GiB for crowds.',
  }))

const below = (
  has: number | undefined,
  least: number,
  tell: (has: number) => Partial<Wrong> & Pick<Wrong, 'message'>,
) => (has === undefined || has >= least ? [] : [{ state: 'warn' as const, ...tell(has) }])

function inWords({ descriptors, memory, processors, threads }: MachineLimits): string {
  const told = [
    descriptors === undefined ? 'file descriptors without a limit that is known' : `${descriptors} file descriptors`,
    ...(memory === undefined ? [] : [`${Math.round(memory / MIB)} MiB of memory`]),
    ...(processors === undefined ? [] : [`${processors} processors`]),
    ...(threads === undefined ? [] : [`${threads} threads`]),
  ]
  return told.join(', ')
}

interface Examinee {
  /** Subject of the messages about it. */
  name: string
  box: MachineLimits
}

/** The limits of the server on this machine, or of a server started like this command. */
async function examineeOf(config: Config, read: Reader, now: number): Promise<Examinee> {
  const pid = config.database ? await nodeHere(read, now) : lockHolderOf(join(config.dataDir, LOCK_FILE))
  return pid === undefined
    ? { name: 'A server started like this command', box: machineLimitsOf(process.pid) }
    : { name: `The server (process ${pid})`, box: machineLimitsOf(pid) }
}

/** The name of a server has its host name and process id. */
async function nodeHere(read: Reader, now: number): Promise<number | undefined> {
  const here = (await read.nodes()).find(
    (node) => conditionOf(node, now) !== 'silent' && node.name.startsWith(`${hostname()}:`),
  )
  return here && Number(here.name.slice(hostname().length + 1))
}
