import { implement } from '@orpc/server'
import type { Relay } from '../../domain/relays/relay'
import { missing } from '../../domain/shared/error'
import { RELAY_PREFIX } from '../../http/relay/relay'
import * as administer from '../../usecases/administer'
import { relayCode } from '../../usecases/relay-code'
import { searchIssues } from '../../usecases/search-issues'
import { type AdminContext, type AdminServices, adminOf, OK } from '../context'
import { adminContract } from '../contract'
import { issueView } from './issues'

export function relayProcedures(deps: AdminServices) {
  const os = implement(adminContract.relays).$context<AdminContext>()
  const { store, clock, random } = deps
  return os.router({
    list: os.list.handler(async ({ input, context }) => ({
      relays: (await administer.listRelays(adminOf(deps, context), input.appId)).map((relay) => view(relay, context)),
    })),
    create: os.create.handler(async ({ input: { appId, ...wanted }, context }) => {
      const { relay, newSecret } = await administer.addRelay(adminOf(deps, context), appId, wanted)
      return { ...view(relay, context), secret: newSecret }
    }),
    changeSecret: os.changeSecret.handler(async ({ input: { relayId, secret }, context }) => {
      const { relay, newSecret } = await administer.changeRelaySecret(adminOf(deps, context), relayId, secret)
      return { ...view(relay, context), secret: newSecret }
    }),
    remove: os.remove.handler(async ({ input, context }) => {
      await administer.removeRelay(adminOf(deps, context), input.relayId)
      return OK
    }),
    test: os.test.handler(async ({ input: { relayId, phoneNumber } }) => {
      const relay = await store.read.relays.find(relayId)
      if (relay?.mode !== 'test') throw missing('relay', relayId)
      const requestId = random.uuid(clock.now())
      const code = random.below(1_000_000).toString().padStart(6, '0')
      const relayed = { phoneNumber, code, occasion: 'test', dedupe: `console ${requestId}`, hasStableId: true }
      const { issueId } = await relayCode(deps, relay, relayed, { requestId })
      return { issueId }
    }),
    messages: os.messages.handler(async ({ input: { appId, mode, ...page } }) => {
      const { rows, next } = await searchIssues(deps, { appId, mode }, { ...page, status: 'alone' })
      return {
        rows: rows.map((issue) => ({ ...issueView(issue, clock.now()), occasion: issue.metadata?.type })),
        ...(next && { next }),
      }
    }),
  })
}

const view = (relay: Relay, { origin }: AdminContext) => ({
  ...{ relayId: relay.relayId, appId: relay.appId, name: relay.name, source: relay.source, mode: relay.mode },
  url: `${origin}${RELAY_PREFIX}${relay.source}/${relay.relayId}`,
  ...{ templateId: relay.templateId, legs: relay.legs && [...relay.legs], createdAt: relay.createdAt },
  isReady: relay.secrets.length > 0,
})
