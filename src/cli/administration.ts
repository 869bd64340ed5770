/** Administration as files and machines see it: of the opened database, or of a server far away. */
import { createRouterClient } from '@orpc/server'
import { type AdminClient, adminClient } from '../admin/client'
import type { AdminServices } from '../admin/context'
import { createAdminRouter } from '../admin/router'
import { PERMISSIONS } from '../domain/access/operator'
import { withBuiltIn } from '../domain/message/template'
import { carrierTypes } from '../providers/type-settings'
import { systemPasswords } from '../system/passwords'
import type { ProtectionHistory } from '../usecases/abuse/read-protection'
import { adminOf, inspectorOf, type Opened } from './open'
import { Failure } from './output'

/**
 * The procedures on the opened database, as the command line. What only a running server knows, such as messages that are on their
 * way, is not there.
 */
export function administrationOf(opened: Opened): AdminClient {
  const { config, store } = opened
  const { node, ...admin } = adminOf(opened)
  const services = {
    ...{ ...opened, ...admin, carrierTypes, passwords: systemPasswords, explain: inspectorOf(opened).explain },
    carriers: { limiters: () => new Map() },
    node: {
      ...{ ...node, keyUse: { latest: () => undefined } },
      directory: { templates: async (appId: string) => withBuiltIn(await store.read.templates.ofApp(appId)) },
    },
    facts: {
      ...{ publicUrl: config.publicUrl, numbering: config.numbering, hookPolicy: config.webhooks },
      ...{ carrierTimeoutMs: config.carrierTimeoutMs, liveRetentionDays: config.liveRetentionDays },
    },
  } as unknown as AdminServices
  return createRouterClient(createAdminRouter(services, {} as ProtectionHistory), {
    context: {
      administrator: { actor: admin.actor, permissions: PERMISSIONS, appIds: undefined },
      origin: config.publicUrl ?? `http://127.0.0.1:${config.port}`,
      ...{ retryAfterMs: undefined, entered: false },
    },
  }) as AdminClient
}

export const administrationAt = (server: string, token: string): AdminClient =>
  adminClient({ server, token }, (request) =>
    fetch(request).catch((error: Error) => {
      throw new Failure('unreachable', `${server} does not answer: ${error.message}`)
    }),
  )
