import { implement } from '@orpc/server'
import type { Incident } from '../../abuse/rules/incident'
import { protectionOf } from '../../abuse/rules/protection'
import {
  type ProtectionHistory,
  readDestinations,
  readRecentTraffic,
  readWaitingPhones,
} from '../../usecases/abuse/read-protection'
import * as administer from '../../usecases/administer'
import { type AdminContext, type AdminServices, adminOf, OK } from '../context'
import { adminContract } from '../contract'

const MOST_OPEN = 100
/** Shortened hash, for display only. */
const NETWORK_DIGITS = 8

export function protectionProcedures(deps: AdminServices, history: ProtectionHistory) {
  const os = implement(adminContract.protection).$context<AdminContext>()
  const { store, clock, node } = deps
  const doing = (context: AdminContext) => ({ ...adminOf(deps, context), numbering: deps.facts.numbering })
  return os.router({
    state: os.state.handler(async ({ input: { appId } }) => {
      const app = await administer.existingApp(deps, appId)
      const { blocks, reopened } = protectionOf(app)
      const digits = node.traffic.digitsOf(appId)
      const now = clock.now()
      return {
        held: await readWaitingPhones(deps, app),
        reopened: reopened.filter(({ until }) => until > now),
        blocks: blocks
          .filter(({ until }) => until > now)
          .map((block) => ({ ...block, digits: block.prefix === undefined ? undefined : digits.get(block.prefix) })),
      }
    }),
    sentTo: os.sentTo.handler(async ({ input: { appId } }) => {
      await administer.existingApp(deps, appId)
      const { days, typed, untyped } = await readDestinations(deps, appId)
      return { days, typed: [...typed], untyped: [...untyped] }
    }),
    lately: os.lately.handler(async ({ input: { appId, prefix } }) => {
      await administer.existingApp(deps, appId)
      const { codes, ...lately } = await readRecentTraffic(deps, appId, prefix)
      return { ...lately, codes: [...codes] }
    }),
    phone: os.phone.handler(async ({ input: { appId, phoneNumber }, context }) => {
      const now = clock.now()
      const found = await administer.standingOfPhone(doing(context), appId, phoneNumber)
      const standings = found.standings.map(({ kind, rule, waitMs }) => ({
        kind,
        ...(rule && { rule, until: now + waitMs }),
      }))
      return { phoneNumber: found.phoneNumber, standings }
    }),
    unlock: os.unlock.handler(({ input: { appId, phoneNumber, kinds }, context }) =>
      administer.unlockPhone(doing(context), appId, phoneNumber, kinds),
    ),
    show: os.show.handler(async ({ input: { appId, ...query } }) => {
      await administer.existingApp(deps, appId)
      const { prefixes, networks, ...shown } = await history.read(appId, query)
      const digits = node.traffic.digitsOf(appId)
      return {
        ...shown,
        prefixes: prefixes.map((sum) => ({ digits: digits.get(sum.prefix), ...sum })),
        networks: networks.map((sum) => ({ ...sum, network: sum.network.slice(0, NETWORK_DIGITS) })),
      }
    }),
    incidents: os.incidents.handler(async ({ input: { appId, after, limit } }) => {
      const [since, incidentId] = (after ?? '').split('.')
      const before = since && incidentId ? { since: Number(since), incidentId } : undefined
      const { traffic } = store.lists
      const open = before ? [] : await traffic.open({ appId, limit: MOST_OPEN })
      const ended = await traffic.ended(appId, { before, limit: limit + 1 })
      const last = ended.length > limit ? ended[limit - 1] : undefined
      return {
        rows: [
          ...open.map((one) => ({ ...incidentView(one), evidence: node.traffic.lostWishes(appId, one) })),
          ...ended.slice(0, limit).map(incidentView),
        ],
        ...(last && { next: `${last.since}.${last.incidentId}` }),
      }
    }),
    block: os.block.handler(async ({ input: { appId, ...place }, context }) => {
      await administer.blockPlace(adminOf(deps, context), appId, place)
      return OK
    }),
    unblock: os.unblock.handler(async ({ input: { appId, ...place }, context }) => {
      await administer.unblockPlace(adminOf(deps, context), appId, place)
      return OK
    }),
    end: os.end.handler(async ({ input, context }) => {
      const { reopenedUntil } = await administer.endIncident(adminOf(deps, context), input.incidentId)
      return { reopenedUntil }
    }),
    refund: os.refund.handler(async ({ input, context }) => {
      const { refunded, undecided } = await administer.refundUntyped(adminOf(deps, context), input.incidentId)
      return { ...refunded, undecided }
    }),
  })
}

export const incidentView = ({ rules, ...incident }: Incident) => ({ ...incident, rules: [...rules] })
