/** `watchword incident` lists and ends incidents of low conversion. */
import { z } from 'zod'
import type { Incident } from '../../abuse/rules/incident'
import { readRecentTraffic } from '../../usecases/abuse/read-protection'
import * as administer from '../../usecases/administer'
import { iso, table } from '../output'
import { adminCommand, group, NO_INPUT, positiveInteger } from './build'
import { touchedBy } from './protect'

const shown = (incident: Incident) => ({
  ...{ incidentId: incident.incidentId, appId: incident.appId, keyKind: incident.kind, country: incident.country },
  ...{ rules: incident.rules, blocked: incident.isBlocked, refused: incident.refused, cost: incident.cost },
  since: iso(incident.since),
  lastAt: iso(incident.lastAt),
  endedAt: incident.endedAt === undefined ? null : iso(incident.endedAt),
  refunded: incident.refunded ?? null,
})

const whereOf = (country: string) => (country === '' ? 'countries with little traffic' : country)

const ofIncident = z.object({ incidentId: z.string().describe('<incidentId>  incident') })

export const incidentCommands = () =>
  group('incident', 'incidents of low conversion or of an exceeded cap, with their cost', 'list', {
    list: adminCommand({
      summary: 'list the open incidents of all apps',
      ...NO_INPUT,
      run: async ({ store }) => ({ incidents: (await store.read.traffic.allOpenIncidents()).map(shown) }),
      lines: ({ incidents }) =>
        table(
          ['INCIDENT', 'APP', 'WHERE', 'REFUSED', 'COST', 'SINCE'],
          incidents.map(({ incidentId, appId, keyKind, country, refused, cost, since }) => [
            ...[incidentId, appId, `${keyKind} ${country}`, refused, cost, since],
          ]),
          'No incident is open.',
        ),
    }),
    end: adminCommand({
      summary: 'end an incident, and exempt its country from conversion rules',
      examples: ['0199a3c0-…'],
      input: ofIncident.extend({
        hours: positiveInteger.optional().describe('how long conversion rules refuse no codes there (default: a day)'),
      }),
      confirmation: async (admin, { incidentId, hours = 24 }) => {
        const { appId, kind, country } = await administer.existingIncident(admin, incidentId)
        const touched = touchedBy(await readRecentTraffic(admin, appId), country, kind)
        const question = `End the incident? For ${hours} h conversion rules refuse no codes for ${whereOf(country)}.`
        return `${question} Affected: ${touched}.`
      },
      run: async (admin, { incidentId, hours }) => {
        const { incident, reopenedUntil } = await administer.endIncident(admin, incidentId, hours)
        return { ...shown(incident), reopenedUntil: iso(reopenedUntil) }
      },
      lines: ({ reopenedUntil, keyKind, appId, country }) => [
        `Ended: until ${reopenedUntil} conversion rules refuse no ${keyKind} keys of ${appId} in ${whereOf(country)}.`,
        'Caps, blocks and country lists still apply.',
      ],
    }),
    refund: adminCommand({
      summary: 'refund the unverified codes of an incident, each once',
      examples: ['0199a3c0-…'],
      input: ofIncident,
      confirmation: () => 'Refund its unverified codes? It cannot be undone.',
      run: async (admin, { incidentId }) => {
        const { incident, refunded, undecided } = await administer.refundUntyped(admin, incidentId)
        return { ...shown(incident), given: refunded, undecided }
      },
      lines: ({ given, undecided }) => [
        `Refunded ${given.credits} CREDIT for ${given.issues} issues.`,
        ...(undecided > 0 ? [`${undecided} are not charged yet: ask again when their carriers have reported.`] : []),
      ],
    }),
  })
