/**
 * Begins and ends notices: compares what is so now with the notices that are open. Every server does it, and the store
 * lets one of them begin or end each. Decisions: "Notices".
 */
import { isOver } from '../abuse/rules/incident'
import { isSilent, refusedLately, WHY_REFUSED } from '../domain/delivery/report-tally'
import { newestOf, rhythmOf } from '../domain/operations/backup-schedule'
import { type DiskUsage, isShortOfSpace, roomNeeded } from '../domain/operations/disk'
import {
  CARRIER_DOWN_MS,
  CERTIFICATE_DAYS,
  type Condition,
  compareConditions,
  isAccountRefused,
  type Notice,
  type NoticePhase,
  RUNWAY_DAYS,
  unusualFailures,
} from '../domain/operations/notice'
import { totalOfTallies } from '../domain/operations/usage'
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import { isOutOfCredit } from '../domain/wallet/wallet'
import type { Clock } from '../ports/clock'
import type { Backups } from '../ports/files'
import type { Log } from '../ports/log'
import type { Node } from '../ports/node'
import type { Store, Tx } from '../ports/store'
import type { Random } from '../ports/vault'

export interface WatchDependencies {
  store: Store
  clock: Pick<Clock, 'now'>
  random: Random
  log: Log
  node: Pick<Node, 'wakeUps'>
  /** Copies of the database, newest first. */
  backups: () => Backups
  disk?: (() => DiskUsage) | undefined
}

const LOOK_EVERY_MS = 10 * SECOND_MS
/** Reading a week of usage costs more than the rest together. */
const USAGE_EVERY_MS = 10 * MINUTE_MS
const USUAL_DAYS = 7

/** Usage of one app in a week. */
interface AppUsage {
  spentPerDay: number
  failures: { percent: number; usual: number } | undefined
}

export class NoticeWatch {
  #lookedAt: number | undefined
  #usage: { at: number; byApp: Map<string, AppUsage> } | undefined
  readonly #startedAt: number
  #isStopped = false

  constructor(private readonly deps: WatchDependencies) {
    this.#startedAt = deps.clock.now()
  }

  /** A look that is reading usage ends soon. */
  stop(): void {
    this.#isStopped = true
  }

  /** To be called often; looks now and then. */
  async look(): Promise<void> {
    const { store, clock } = this.deps
    const now = clock.now()
    if (this.#lookedAt !== undefined && Math.abs(now - this.#lookedAt) < LOOK_EVERY_MS) return
    this.#lookedAt = now
    const found = await this.#conditions(now)
    if (this.#isStopped) return
    const { begin, save, end } = compareConditions(await store.read.notices.open(), found, now)
    for (const condition of begin) await beginNotice(this.deps, condition)
    for (const notice of [...save, ...end]) await changeNotice(this.deps, notice)
  }

  async #conditions(now: number): Promise<Condition[]> {
    const { read } = this.deps.store
    const apps = new Map((await read.apps.all()).map(({ appId, name }) => [appId, name]))
    const ofApps = await this.#ofApps(apps, now)
    const incidents = (await read.traffic.allOpenIncidents()).map(({ incidentId, appId, country, ...incident }) => ({
      ...{ kind: 'attack' as const, subject: incidentId, appId, facts: { app: apps.get(appId) ?? appId, country } },
      isOver: isOver(incident, now),
    }))
    return [
      ...ofApps,
      ...incidents.filter((one) => !one.isOver).map(({ isOver: _, ...condition }) => condition),
      ...(await this.#ofCarriers(now)),
      ...(await this.#ofEndpoints(apps, now)),
      ...this.#ofBackups(now),
      ...this.#ofDisk(),
      ...(await this.#ofClock(now)),
    ]
  }

  async #ofApps(apps: ReadonlyMap<string, string>, now: number): Promise<Condition[]> {
    const usage = await this.#usageOf([...apps.keys()], now)
    const found: Condition[] = []
    const wallets = new Map((await this.deps.store.read.wallets.all()).map((wallet) => [wallet.appId, wallet]))
    for (const [appId, app] of apps) {
      const wallet = wallets.get(appId)
      const { spentPerDay = 0, failures } = usage.get(appId) ?? {}
      // An app that never had credit has not begun yet.
      if (wallet && wallet.entries > 0 && isOutOfCredit(wallet))
        found.push({ kind: 'no_credit', subject: appId, appId, facts: { app } })
      else if (wallet) {
        const available = wallet.balance - wallet.reserved
        const days = spentPerDay > 0 ? available / spentPerDay : undefined
        const isShort = days !== undefined && days < RUNWAY_DAYS
        if (isShort || (wallet.alertBelow !== undefined && available < wallet.alertBelow)) {
          const facts = { app, available, ...(days !== undefined && { days: Math.max(0, Math.floor(days)) }) }
          found.push({ kind: 'low_credit', subject: appId, appId, facts })
        }
      }
      if (failures) found.push({ kind: 'deliveries_failing', subject: appId, appId, facts: { app, ...failures } })
    }
    return found
  }

  async #usageOf(appIds: readonly string[], now: number): Promise<Map<string, AppUsage>> {
    if (this.#usage && Math.abs(now - this.#usage.at) < USAGE_EVERY_MS) return this.#usage.byApp
    const { usage } = this.deps.store.lists
    const byApp = new Map<string, AppUsage>()
    // A database that was filled elsewhere is rolled up first: until then each hour of each app would be counted here.
    const isRolledUp = now - ((await usage.rolledUntil()) ?? now) < USUAL_DAYS * DAY_MS
    for (const appId of isRolledUp ? appIds : []) {
      if (this.#isStopped) return byApp
      const from = now - USUAL_DAYS * DAY_MS
      // The hours are whole ones, so these are one to two hours.
      const lately = now - (now % HOUR_MS) - HOUR_MS
      const slice = { offsetMs: 0, stepMs: DAY_MS, byPurpose: false }
      const sumsOf = (from: number, to: number) => usage.sums({ appId, mode: 'live' }, { ...slice, from, to }, now)
      const before = await sumsOf(from, lately)
      const [usual, recent] = [totalOfTallies(before), totalOfTallies(await sumsOf(lately, now + 1))]
      // An app that is new has less than a week.
      const first = before.reduce((oldest, { step }) => Math.min(oldest, step * DAY_MS), now)
      const days = Math.max(1, (now - Math.max(from, first)) / DAY_MS)
      byApp.set(appId, { spentPerDay: (usual.spent + recent.spent) / days, failures: unusualFailures(recent, usual) })
    }
    this.#usage = { at: now, byApp }
    return byApp
  }

  async #ofCarriers(now: number): Promise<Condition[]> {
    const { read } = this.deps.store
    const [health, reports] = [await read.carriers.health(), await read.carriers.reports()]
    return (await read.carriers.all()).flatMap(({ name }): Condition[] => {
      const { isHealthy = true, since = now, code = '' } = health.get(name) ?? {}
      const about = { subject: name, appId: undefined }
      const isDown = !isHealthy && (now - since >= CARRIER_DOWN_MS || isAccountRefused(code))
      const tally = reports.get(name)
      const [refused] = tally ? refusedLately(tally, now) : []
      const why = refused ? WHY_REFUSED[refused.reason] : ''
      const heard = { carrier: name, accepted: tally?.accepted ?? 0, refused: refused?.times ?? 0, why }
      return [
        ...(isDown ? [{ kind: 'carrier_down' as const, ...about, facts: { carrier: name, code } }] : []),
        ...(tally && isSilent(tally, now) ? [{ kind: 'no_reports' as const, ...about, facts: heard }] : []),
      ]
    })
  }

  async #ofEndpoints(apps: ReadonlyMap<string, string>, now: number): Promise<Condition[]> {
    const endpoints = await this.deps.store.read.endpoints.troubled(now + CERTIFICATE_DAYS * DAY_MS)
    return endpoints.flatMap(({ endpointId, appId, url, ...endpoint }): Condition[] => {
      const about = { subject: endpointId, appId }
      const facts = { app: apps.get(appId) ?? appId, host: new URL(url).host }
      const { disabledAt, disabledReason: reason = '', certificateUntil = 0 } = endpoint
      if (disabledAt === undefined) {
        const until = certificateUntil === 0 ? '' : dayOf(certificateUntil)
        return [{ kind: 'webhook_certificate', ...about, facts: { ...facts, until } }]
      }
      // The operator knows what the operator did.
      if (reason === 'Disabled by an operator' || reason === 'Being removed') return []
      return [{ kind: 'endpoint_disabled', ...about, facts: { ...facts, reason } }]
    })
  }

  #ofDisk(): Condition[] {
    const disk = this.deps.disk?.()
    if (!disk || !isShortOfSpace(disk)) return []
    const mib = (bytes: number) => Math.round(bytes / 2 ** 20)
    const facts = { freeMib: mib(disk.free), neededMib: mib(roomNeeded(disk)) }
    return [{ kind: 'disk_low', subject: 'server', appId: undefined, facts }]
  }

  async #ofClock(now: number): Promise<Condition[]> {
    const setBackMs = await this.deps.store.read.clockSetBackMs(now - DAY_MS)
    if (setBackMs === 0) return []
    const facts = { seconds: Math.ceil(setBackMs / SECOND_MS) }
    return [{ kind: 'clock_stepped', subject: 'server', appId: undefined, facts }]
  }

  #ofBackups(now: number): Condition[] {
    const { made, failedAt = 0, failedBecause = '', nextAt } = this.deps.backups()
    const newest = newestOf(made, now)?.at
    const hasFailed = failedAt > (newest ?? 0)
    const dueEveryMs = nextAt === undefined ? rhythmOf(made) : DAY_MS
    const isLate = dueEveryMs !== undefined && now - Math.max(newest ?? 0, this.#startedAt) >= dueEveryMs + HOUR_MS
    if (!isLate && !hasFailed) return []
    const facts = {
      newest: newest === undefined ? '' : minuteOf(newest),
      ...(hasFailed && { failed: minuteOf(failedAt), why: failedBecause }),
    }
    return [{ kind: 'backup_overdue', subject: 'server', appId: undefined, facts }]
  }
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
const minuteOf = (at: number) => `${new Date(at).toISOString().slice(0, 16).replace('T', ' ')} UTC`

async function beginNotice(deps: WatchDependencies, condition: Condition): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const notice: Notice = {
      ...condition,
      noticeId: deps.random.uuid(deps.clock.now()),
      since: deps.clock.now(),
      ...{ goneAt: undefined, endedAt: undefined },
    }
    // Another server may have begun it.
    if (!(await tx.notices.add(notice))) return
    for (const { wayId } of await tx.notices.ways()) await queueMessage(deps, tx, notice, wayId, 'began')
    const { noticeId, kind, subject } = notice
    tx.afterCommit(() => deps.log.warn({ noticeId, kind, subject }, 'notice began'))
  })
}

/** A notice that ends is told where it was told that it began, and nowhere else. */
async function changeNotice(deps: WatchDependencies, changed: Notice): Promise<void> {
  await deps.store.transaction(async (tx) => {
    const known = await tx.notices.lock(changed.noticeId)
    if (!known || known.endedAt !== undefined) return
    await tx.notices.save(changed)
    if (changed.endedAt === undefined) return
    for (const message of await tx.notices.messages(changed.noticeId)) {
      if (message.status === 'sent') await queueMessage(deps, tx, changed, message.wayId, 'ended')
      // Its job stays: it may be on its way, and then whoever sends it tells of the end, too.
      if (message.status === 'pending') await tx.notices.saveMessage({ ...message, status: 'dropped' })
    }
    const { noticeId, kind, subject } = changed
    tx.afterCommit(() => deps.log.info({ noticeId, kind, subject }, 'notice ended'))
  })
}

export async function queueMessage(
  { random, node, clock }: Pick<WatchDependencies, 'random' | 'node' | 'clock'>,
  tx: Tx,
  { noticeId, appId }: Notice,
  wayId: string,
  phase: NoticePhase,
): Promise<void> {
  const messageId = random.uuid(clock.now())
  const untried = { status: 'pending', tries: 0, triedAt: undefined, error: undefined } as const
  await tx.notices.saveMessage({ messageId, noticeId, wayId, phase, ...untried })
  const owner = { appId: appId ?? '', mode: 'live' } as const
  await tx.jobs.add({ kind: 'notice', owner, subjectId: messageId, runAt: clock.now(), queue: wayId })
  tx.afterCommit(() => node.wakeUps.wake('notice'))
}
