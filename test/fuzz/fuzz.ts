/**
 * Hostile requests against the real program, over raw sockets: each seed and subject is one volley. Whatever is sent,
 * nobody gets a 500, every answer is ours and whole, what is refused changes nothing, and nobody else waits.
 */
import { tellEvidence } from '../support/evidence'
import { seededRandom } from '../support/random'
import { sendRaw } from '../support/raw'
import { HANGS_AFTER_MS } from '../support/until'
import { answersTo, faultsOf, issuedIn } from './answer'
import { consoleSubject } from './console'
import { framing } from './framing'
import { json } from './json'
import { paths } from './paths'
import { patterns } from './patterns'
import type { Held } from './probe'
import { races } from './races'
import { reports } from './reports'
import { bearer, request, type Shot, type Subject } from './shot'
import { sizes } from './sizes'
import { changesBetween, readState } from './state'
import { startTarget, type Target } from './target'
import { twilio } from './twilio'
import { types } from './types'

/** Races last: what they have issued is still being sent and charged for a while. */
export const SUBJECTS: readonly Subject[] = [
  framing,
  paths,
  json,
  types,
  sizes,
  patterns,
  reports,
  twilio,
  consoleSubject,
  races,
]

export interface FuzzOptions {
  seeds: readonly number[]
  /** Of `SUBJECTS`, by name; all where left out. */
  only?: readonly string[]
  /** Files to load into the server, and its environment. */
  preload?: string[]
  env?: Record<string, string>
  tell?: (line: string) => void
}

/** What is wrong, in words; empty is well. */
export async function fuzz(options: FuzzOptions): Promise<string[]> {
  const { seeds, only, tell = () => {} } = options
  const target = await startTarget(options.preload, options.env)
  const found: string[] = []
  let sent = 0
  const subjects = SUBJECTS.filter(({ name }) => only?.includes(name) ?? true)
  const memoryBefore = target.memoryMb()
  // The engine compiles what runs often.
  await costOfHarmless(target)
  for (const subject of subjects) {
    const bound = { busyMs: WORTH * (await costOfHarmless(target)), silentMs: MOST_SILENT_MS }
    for (const seed of seeds) {
      const volley = await fire(target, subject, seed, bound)
      sent += volley.sent
      found.push(...volley.found.map((fault) => `${subject.name}, seed ${seed}: ${fault}`))
      tell(reportOf(subject, seed, volley, bound))
      if (volley.isOver) return [...found, ...(await ending(target))]
    }
  }
  const grownMb = target.memoryMb() - memoryBefore
  tell(`memory  ${Math.round(memoryBefore)} MB, ${Math.round(grownMb)} MB more in the end`)
  if (grownMb > MOST_GROWTH_MB) found.push(`memory grew by ${Math.round(grownMb)} MB`)
  found.push(...(await ending(target)))
  if (found.length === 0) tellEvidence('requests', sent)
  return found
}

/** Loosely: garbage is collected when the engine likes. */
const MOST_GROWTH_MB = 700

const reportOf = ({ name }: Subject, seed: number, { sent, held, found }: Volley, bound: Held) =>
  [
    `${name.padEnd(8)} seed ${String(seed).padEnd(5)} ${String(sent).padStart(5)} sent`,
    `held ${held.busyMs.toFixed(1)} ms, at most ${bound.busyMs.toFixed(1)}`,
    found.length === 0 ? 'well' : `${found.length} found`,
  ].join('  ')

interface Volley {
  sent: number
  held: Held
  found: string[]
  /** The server answers nobody any more. */
  isOver: boolean
}

const AT_ONCE = 8
/** Longer than any machine is busy: what comes later than that does not come. */
const PATIENCE_MS = HANGS_AFTER_MS / 2
/** Of what is no HTTP the server may wait for the rest. */
const PATIENCE_WITH_BROKEN_MS = 250

async function fire(target: Target, subject: Subject, seed: number, bound: Held): Promise<Volley> {
  const random = seededRandom(seed)
  const shots = subject.shots(random, target)
  // What changes something on purpose goes last, and by itself.
  const [idle = [], changing = []] = [false, true].map((mayChange) =>
    shots.filter((shot) => !!shot.mayChange === mayChange),
  )
  const found = idle.length > 0 ? await withoutChange(target, idle) : []
  found.push(...(await sendAll(target, changing)).found)
  found.push(...((await subject.play?.(random, target)) ?? []))
  const held = target.held()
  const isOver = !(await isAlive(target))
  if (isOver) found.push('/healthz is not answered any more')
  else if (isBeyond(held, bound)) found.push(...(await culprits(target, shots, held, bound)))
  return { sent: shots.length, held, found, isOver }
}

async function isAlive(target: Target): Promise<boolean> {
  const shot = { what: '', request: request('GET', '/healthz') }
  const [answer] = answersTo(shot, await send(target, shot))
  return answer?.status === 200
}

async function withoutChange(target: Target, shots: readonly Shot[]): Promise<string[]> {
  const before = readState(target.database)
  const { found, issued } = await sendAll(target, shots)
  return [...found, ...changesBetween(before, readState(target.database), issued)]
}

interface Sent {
  found: string[]
  /** Different issues. */
  issued: number
}

/** Several connections, each with one request after the other; none is sent once one has not been answered. */
async function sendAll(target: Target, shots: readonly Shot[]): Promise<Sent> {
  const found: string[] = []
  const issued = new Set<string>()
  let left = [...shots]
  const sendOn = async () => {
    for (let shot = left.shift(); shot; shot = left.shift()) {
      const raw = await send(target, shot)
      if (raw === '' && !shot.isBroken) left = []
      for (const fault of faultsOf(shot, raw, target.secrets)) found.push(`${shot.what}: ${fault}`)
      for (const answer of answersTo(shot, raw)) {
        const issueId = issuedIn(answer)
        if (issueId !== undefined) issued.add(issueId)
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, sendOn))
  return { found, issued: issued.size }
}

const send = ({ url }: Target, shot: Shot): Promise<string> =>
  shot.isBroken
    ? sendRaw(url, shot.request, PATIENCE_WITH_BROKEN_MS)
    : sendRaw(url, shot.request, PATIENCE_MS, (raw) => answersTo(shot, raw).length > 0)

// ── the event loop ─────────────────────────────────────────────────────────────────────────────────

const HARMLESS = 200
/** No request may hold the loop for what so many harmless ones compute: both are processor time of the same run. */
const WORTH = 1_000
/** Nobody waits longer for a timer, whatever the reason. It is time that the process was alive, not time on the clock. */
const MOST_SILENT_MS = 1_000

/** What the loop computes for one request that means no harm, milliseconds. */
async function costOfHarmless(target: Target): Promise<number> {
  const harmless = Array.from({ length: HARMLESS }, (_, index): Shot => {
    const path = index % 2 === 0 ? '/v1/issues' : '/v1/templates'
    return { what: 'harmless', request: request('GET', path, bearer(target.keys.live)) }
  })
  const before = target.computedMs()
  await sendAll(target, harmless)
  target.held()
  return (target.computedMs() - before) / HARMLESS
}

const isBeyond = (held: Held, bound: Held) => held.busyMs > bound.busyMs || held.silentMs > bound.silentMs

const inWords = ({ busyMs, silentMs }: Held) =>
  `the event loop was held for ${Math.max(busyMs, silentMs).toFixed(0)} ms`

const CULPRITS_NAMED = 3

/** Each once more and alone, to name some that hold the loop. */
async function culprits(target: Target, shots: readonly Shot[], first: Held, bound: Held): Promise<string[]> {
  const found: string[] = []
  target.held()
  for (const shot of shots) {
    await send(target, shot)
    const held = target.held()
    if (isBeyond(held, bound)) found.push(`${shot.what}: ${inWords(held)}`)
    if (found.length === CULPRITS_NAMED) break
  }
  return found.length > 0 ? found : [`all together: ${inWords(first)}`]
}

// ── afterwards ─────────────────────────────────────────────────────────────────────────────────────

const UNEXPECTED = 'failed unexpectedly'

/** It drains, and its log is clean. */
async function ending(target: Target): Promise<string[]> {
  const exitCode = await target.stop()
  const log = target.written()
  return [
    ...(exitCode === 0 ? [] : [`ended with ${exitCode}`]),
    ...log.split('\n').filter((line) => line.includes(UNEXPECTED)),
    ...target.secrets.filter((secret) => log.includes(secret)).map((secret) => `the log tells ${secret.slice(0, 12)}…`),
    ...target
      .codes()
      .filter((code) => new RegExp(`\\b${code}\\b`).test(log))
      .map((code) => `the log tells the code ${code}`),
  ]
}
