/** `watchword incident`: codes that nobody types, and what can be done about them. */
import type { Command } from 'commander'
import type { Incident } from '../domain/incident'
import * as administer from '../usecases/administer'
import { type CommonOptions, command, onData, onDataCommand, removalCommand } from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf } from './open'
import { iso, table } from './output'

export function incidentCommands(): Command {
  const incident = command(
    'incident',
    'codes that nobody types, or too many: what is stopped, and what it cost',
    'incident list',
  )
  incident.addCommand(listCommand())
  incident.addCommand(endCommand())
  incident.addCommand(refundCommand())
  return incident
}

const shown = (incident: Incident) => ({
  ...{ incidentId: incident.incidentId, appId: incident.appId, keyKind: incident.kind, country: incident.country },
  ...{ rules: incident.rules, blocked: incident.isBlocked, refused: incident.refused, cost: incident.cost },
  since: iso(incident.since),
  lastAt: iso(incident.lastAt),
  pausedUntil: incident.pausedUntil === undefined ? null : iso(incident.pausedUntil),
  endedAt: incident.endedAt === undefined ? null : iso(incident.endedAt),
  refunded: incident.refunded ?? null,
})

const listCommand = () =>
  onDataCommand('list', 'incidents that are open, of every app', 'incident list').action((options: CommonOptions) =>
    onData(options, async ({ store }, output) => {
      const incidents = (await store.read.traffic.allOpenIncidents()).map(shown)
      const rows = incidents.map(({ incidentId, appId, keyKind, country, refused, cost, since, pausedUntil }) => {
        return [incidentId, appId, `${keyKind} ${country}`, refused, cost, since, pausedUntil ?? '']
      })
      const titles = ['INCIDENT', 'APP', 'WHERE', 'REFUSED', 'COST', 'SINCE', 'PAUSED UNTIL']
      output({ incidents }, table(titles, rows, 'No incident is open.'))
    }),
  )

const endCommand = () =>
  onDataCommand('end', 'end an incident, and the pause that it has brought about', 'incident end 0199a3c0-…')
    .argument('<incidentId>', 'incident')
    .action((incidentId: string, options: CommonOptions) =>
      onData(options, async (opened, output) => {
        const ended = shown(await administer.endIncident(adminOf(opened), incidentId))
        output(ended, [`Ended: ${ended.keyKind} keys of ${ended.appId} send to ${ended.country} again`])
      }),
    )

const refundCommand = () =>
  removalCommand('refund', 'give back what codes have cost that nobody typed, each once', 'incident refund 0199a3c0-…')
    .argument('<incidentId>', 'incident')
    .action((incidentId: string, options: CommonOptions & Confirmable) =>
      onData(options, async (opened, output) => {
        await confirm(options, 'Give back what its codes have cost that nobody typed? It cannot be undone.')
        const { incident, refunded, undecided } = await administer.refundUntyped(adminOf(opened), incidentId)
        const later =
          undecided > 0 ? [`${undecided} are not charged yet: ask again when their carriers have reported.`] : []
        output({ ...shown(incident), given: refunded, undecided }, [
          `Refunded ${refunded.credits} CREDIT for ${refunded.issues} issues.`,
          ...later,
        ])
      }),
    )
