import { implement } from '@orpc/server'
import type { HookEventType } from '../../../contract/constants'
import { sampleHookEvent } from '../../../contract/event'
import { invalid, missing, Refusal } from '../../domain/shared/error'
import { isUuid } from '../../domain/shared/value'
import { assertHookTarget, type HookUrlPolicy, policyFor } from '../../domain/webhooks/target-address'
import type { Endpoint } from '../../domain/webhooks/webhook'
import * as administer from '../../usecases/administer'
import { previewHookTemplate } from '../../usecases/preview-hook-template'
import { readWebhookRequest } from '../../usecases/read-webhook-request'
import { type AdminContext, type AdminServices, adminOf, mistakeOf, OK } from '../context'
import { adminContract } from '../contract'

export function webhookProcedures(deps: AdminServices) {
  const os = implement(adminContract.webhooks).$context<AdminContext>()
  const { store } = deps
  const { hookPolicy } = deps.facts
  const view = (endpoint: Endpoint) => endpointView(endpoint, hookPolicy)
  const attemptsOf = async (deliveryId: string) =>
    (await store.lists.hooks.attempts(deliveryId)).map(({ calledAt, answeredAt, ...attempt }) => ({
      ...{ ...attempt, calledAt, latencyMs: answeredAt - calledAt },
    }))
  return os.router({
    list: os.list.handler(async ({ input: { appId } }) => {
      await administer.existingApp(deps, appId)
      return { endpoints: (await store.read.endpoints.ofApp(appId)).map(view) }
    }),
    show: os.show.handler(async ({ input: { endpointId } }) => {
      const endpoint = await store.read.endpoints.find(endpointId)
      if (!endpoint) throw missing('webhook', endpointId)
      return view(endpoint)
    }),
    add: os.add.handler(async ({ input, context }) => {
      const { endpoint, secret } = await administer.addEndpoint(adminOf(deps, context), input)
      return { endpoint: view(endpoint), secret }
    }),
    update: os.update.handler(async ({ input: { endpointId, ...changes }, context }) =>
      view(await administer.updateEndpoint(adminOf(deps, context), endpointId, changes)),
    ),
    remove: os.remove.handler(async ({ input, context }) => {
      await administer.removeEndpoint(adminOf(deps, context), input.endpointId)
      return OK
    }),
    rotate: os.rotate.handler(async ({ input, context }) => {
      const { secret, previousValidUntil } = await administer.rotateEndpoint(
        adminOf(deps, context),
        input.endpointId,
        input.overlapHours,
      )
      return { secret, previousValidUntil }
    }),
    test: os.test.handler(async ({ input, context }) => ({
      eventId: await administer.testEndpoint(adminOf(deps, context), input.endpointId, input.type),
    })),
    events: os.events.handler(async ({ input: { endpointId, status, after: before, limit, log } }) => {
      const hooks = await store.lists.hooks.page({
        endpointId,
        status,
        before: known('delivery', before),
        limit: limit + 1,
      })
      const next = hooks.length > limit ? hooks[limit - 1]?.deliveryId : undefined
      const rows = hooks.slice(0, limit).map(async ({ appId: _, mode: __, ...hook }) => ({
        ...hook,
        ...(log && { log: await attemptsOf(hook.deliveryId) }),
      }))
      return { rows: await Promise.all(rows), ...(next && { next }) }
    }),
    attempts: os.attempts.handler(async ({ input }) => ({
      attempts: await attemptsOf(known('delivery', input.deliveryId) ?? ''),
    })),
    request: os.request.handler(async ({ input }) => {
      const request = await readWebhookRequest(deps, known('delivery', input.deliveryId) ?? '', input.attempt)
      return request ? { request: { ...request, headers: [...request.headers] } } : {}
    }),
    replay: os.replay.handler(async ({ input: { endpointId, eventId, since }, context }) => {
      if ((eventId === undefined) === (since === undefined))
        throw invalid('replay', 'invalid_format', 'one event, or all since a time')
      const which = eventId === undefined ? { since: since ?? 0 } : { eventId: known('event', eventId) ?? '' }
      return { replayed: await administer.replayEvents(adminOf(deps, context), endpointId, which) }
    }),
    preview: os.preview.handler(async ({ input }) => {
      try {
        return { previews: previewOf(input.template, input.events) }
      } catch (error) {
        if (error instanceof Refusal) return { previews: [], mistake: mistakeOf(error) }
        throw error
      }
    }),
  })
}

/** Without a template the event is sent unchanged. Throws `invalid` for an invalid template. */
const previewOf = (template: string, events: readonly HookEventType[]) =>
  template === ''
    ? events.map((type) => ({ type, body: JSON.stringify(sampleHookEvent(type)) }))
    : previewHookTemplate(template, events)

/** Throws `not_found` for an invalid id. */
function known(what: 'event' | 'delivery', id: string | undefined): string | undefined {
  if (id !== undefined && !isUuid(id)) throw missing(what, id)
  return id
}

export function endpointView({ headers, template, disabledAt, secrets, ...endpoint }: Endpoint, policy: HookUrlPolicy) {
  return {
    endpointId: endpoint.endpointId,
    appId: endpoint.appId,
    mode: endpoint.mode,
    url: endpoint.url,
    events: [...endpoint.events],
    filters: copyOf(endpoint.filters),
    template: template ?? '',
    headers: Object.keys(headers),
    enabled: disabledAt === undefined,
    disabledAt,
    disabledReason: endpoint.disabledReason,
    failingSince: endpoint.failingSince,
    previousSecretValidUntil: secrets[1]?.validUntil,
    createdAt: endpoint.createdAt,
    warning: warningOf(endpoint.url, policyFor(endpoint, policy)),
  }
}

const copyOf = ({ method, type, metadata }: Endpoint['filters']) => ({
  ...(method && { method: [...method] }),
  ...(type && { type: [...type] }),
  ...(metadata && {
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, values]) => [key, [...values]])),
  }),
})

function warningOf(url: string, policy: HookUrlPolicy) {
  try {
    assertHookTarget(url, policy)
    return undefined
  } catch (error) {
    if (error instanceof Refusal) return mistakeOf(error)
    throw error
  }
}
