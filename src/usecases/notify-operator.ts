/**
 * Tells the operator of an incident, at least once, at a URL of the operator's own and never at a customer's endpoint: when
 * it opens and when it ends. Signed as webhooks are. Decisions: "Abuse".
 */
import { type Incident, markNotified, notifyFailed } from '../abuse/rules/incident'
import { VERSION } from '../domain/operations/version'
import { MINUTE_MS, SECOND_MS } from '../domain/shared/value'
import { signatureHeaders } from '../domain/webhooks/signature'
import { judge } from '../domain/webhooks/webhook'
import type { Clock } from '../ports/clock'
import type { Log } from '../ports/log'
import type { Transport } from '../ports/network'
import type { Store } from '../ports/store'

export interface OperatorHook {
  url: string
  secret: string
}

export interface TellOperatorDependencies {
  store: Store
  clock: Clock
  log: Log
  /** Not that of customers' webhooks: the operator's receiver may be on this machine or in a private network. */
  toOperator: Transport
  /** Undefined: incidents are in the console and in the log only. */
  operatorHook: OperatorHook | undefined
}

const TIMEOUT_MS = 5 * SECOND_MS
/** Whoever has taken it to tell has so long for it. */
const HELD_MS = MINUTE_MS
const AT_A_LOOK = 10

export async function tellOperator(deps: TellOperatorDependencies): Promise<void> {
  const { store, clock, operatorHook } = deps
  if (!operatorHook) return
  for (let count = 0; count < AT_A_LOOK; count++) {
    if (!(await store.read.traffic.hasToNotify(clock.now()))) return
    const incident = await take(store)
    if (!incident) return
    await settle(deps, incident, await failureOf(deps, operatorHook, incident))
  }
}

const take = (store: Store): Promise<Incident | undefined> =>
  store.transaction(async (tx) => {
    const incident = await tx.traffic.lockToNotify()
    if (incident) await tx.traffic.saveIncident({ ...incident, tellAt: tx.now + HELD_MS })
    return incident
  })

/** A change that happened meanwhile is told anew. `failure`: why it was not told; undefined: it was. */
async function settle(
  { store, log }: TellOperatorDependencies,
  sent: Incident,
  failure: string | undefined,
): Promise<void> {
  await store.transaction(async (tx) => {
    const incident = await tx.traffic.lockIncidentById(sent.incidentId)
    if (!incident || incident.endedAt !== sent.endedAt) return
    await tx.traffic.saveIncident(failure === undefined ? markNotified(incident) : notifyFailed(incident, tx.now))
  })
  if (failure !== undefined)
    log.warn({ incidentId: sent.incidentId, reason: failure }, 'could not tell the operator of an incident')
}

/** Tells it. Answers the status or what the network said where it was not taken, and undefined where it was. */
async function failureOf(
  { clock, toOperator }: TellOperatorDependencies,
  hook: OperatorHook,
  incident: Incident,
): Promise<string | undefined> {
  const eventId = `${incident.incidentId}.${typeOf(incident)}`
  const body = JSON.stringify(bodyOf(incident))
  const timestampSec = Math.floor(clock.now() / 1_000)
  const answer = await toOperator.request({
    method: 'POST',
    url: hook.url,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': `Watchword/${VERSION}`,
      ...signatureHeaders({ eventId, body, secrets: [hook.secret], timestampSec }),
    },
    body,
    timeoutMs: TIMEOUT_MS,
  })
  if (answer.kind !== 'answered') return answer.reason
  const isTaken = judge({ status: answer.status, retryAfterMs: undefined }) === 'delivered'
  return isTaken ? undefined : `HTTP ${answer.status}`
}

const typeOf = ({ endedAt }: Incident) => (endedAt === undefined ? 'opened' : 'ended')

const iso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())

/** No number, no prefix and no address: who is told need not know them. */
function bodyOf(incident: Incident) {
  const { incidentId, appId, kind, country, since, lastAt, endedAt, isBlocked, refused, rules, cost, pausedUntil } =
    incident
  return {
    type: `incident.${typeOf(incident)}`,
    createdAt: iso(endedAt ?? since),
    data: {
      ...{ incidentId, appId, keyKind: kind, country, rules, refused, cost },
      blocked: isBlocked,
      since: iso(since),
      lastAt: iso(lastAt),
      pausedUntil: iso(pausedUntil),
      endedAt: iso(endedAt),
    },
  }
}
