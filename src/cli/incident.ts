/** `watchword incident`: codes that nobody types, and what can be done about them. */
import type { Command } from 'commander'
import type { Incident } from '../domain/incident'
import * as administer from '../usecases/administer'
import { readLately } from '../usecases/read-protection'
import { type CommonOptions, command, onData, onDataCommand, oneOrMore, removalCommand } from './command'
import { type Confirmable, confirm } from './confirm'
import { adminOf } from './open'
import { iso, table } from './output'
import { touchedBy } from './protect'

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

interface EndOptions extends CommonOptions, Confirmable {
  hours?: number
}

const endCommand = () =>
  removalCommand(
    'end',
    'end an incident, and let codes pass there whatever traffic looks like',
    'incident end 0199a3c0-…',
  )
    .argument('<incidentId>', 'incident')
    .option('--hours <n>', 'for how long no rule about typing refuses codes there (default: a day)', oneOrMore)
    .action((incidentId: string, { hours, ...options }: EndOptions) =>
      onData(options, async (opened, output) => {
        const { appId, kind, country } = await administer.existingIncident(opened, incidentId)
        const where = country === '' ? 'countries to which little is sent' : country
        const touched = touchedBy(await readLately(opened, appId), country, kind)
        const question = `End the incident? For ${hours ?? 24} h no rule about typing refuses codes for ${where}.`
        await confirm(options, `${question} Touched: ${touched}.`)
        const { incident, reopenedUntil } = await administer.endIncident(adminOf(opened), incidentId, hours)
        const reopened = iso(reopenedUntil)
        output({ ...shown(incident), reopenedUntil: reopened }, [
          `Ended: until ${reopened} no rule about typing refuses ${kind} keys of ${appId} in ${where}.`,
          'Caps, blocks and closed countries still hold.',
        ])
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
