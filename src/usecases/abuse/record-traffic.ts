/** Stores what a server found in its traffic, for owners and for other servers. Decisions: "Abuse". */
import { ended, type Incident, isCapIncident, isOver } from '../../abuse/rules/incident'
import type { Clock } from '../../ports/clock'
import type { Log } from '../../ports/log'
import type { Store, Tx } from '../../ports/store'
import type { Findings, IncidentUpdate } from '../../ports/traffic'
import type { Random } from '../../ports/vault'

interface RecordDependencies {
  store: Store
  random: Random
  log: Log
}

/** Runs in a transaction of its own, so that no code waits for it. */
export async function recordTraffic({ store, random, log }: RecordDependencies, findings: Findings): Promise<void> {
  const { appId, decisions, incidentUpdates, hours } = findings
  await store.transaction(async (tx) => {
    if (hours.length > 0) await tx.traffic.saveHours(appId, hours)
    if (decisions.length > 0) await tx.traffic.addDecisions(decisions)
    for (const trouble of incidentUpdates) await addTo(tx, { random, log }, appId, trouble)
  })
}

async function addTo(
  tx: Tx,
  { random, log }: Pick<RecordDependencies, 'random' | 'log'>,
  appId: string,
  trouble: IncidentUpdate,
): Promise<void> {
  const known = await tx.traffic.lockIncident(appId, trouble.segment)
  const incident = withTrouble(known ?? opened(random.uuid(tx.now), appId, trouble), trouble)
  await tx.traffic.saveIncident(incident)
  if (known) return
  const { incidentId, kind, country, isBlocked, rules } = incident
  const what = isCapIncident(incident) ? 'more codes than a cap allows' : 'codes that nobody types'
  tx.afterCommit(() => log.warn({ incidentId, appId, kind, country, isBlocked, rules }, what))
}

const opened = (incidentId: string, appId: string, { segment, lastAt }: IncidentUpdate): Incident => ({
  ...{ incidentId, appId, kind: segment.kind, country: segment.country, since: lastAt, lastAt, endedAt: undefined },
  ...{ isBlocked: false, refused: 0, rules: [], cost: 0, refunded: undefined },
})

function withTrouble(incident: Incident, { refused, isBlocked, lastAt, rules, cost }: IncidentUpdate): Incident {
  return {
    ...incident,
    refused: incident.refused + refused,
    isBlocked: incident.isBlocked || isBlocked,
    since: Math.min(incident.since, lastAt),
    lastAt: Math.max(incident.lastAt, lastAt),
    // Every server counts the same codes, so the costs are not added.
    cost: Math.max(incident.cost, cost),
    rules: [...new Set([...incident.rules, ...rules])].sort(),
  }
}

/** Ends incidents without a rule hit for an hour. */
export async function endQuietIncidents({ store, clock }: { store: Store; clock: Pick<Clock, 'now'> }): Promise<void> {
  for (const { incidentId } of await store.read.traffic.allOpenIncidents())
    await store.transaction(async (tx) => {
      const incident = await tx.traffic.lockIncidentById(incidentId)
      if (!incident || incident.endedAt !== undefined || !isOver(incident, clock.now())) return
      await tx.traffic.saveIncident(ended(incident, clock.now()))
    })
}
