/** A client of the management API of a server, wherever it is. */
import { createORPCClient } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import { OpenAPILink } from '@orpc/openapi-client/fetch'
import { ADMIN_PREFIX } from '../http/route-table'
import { type AdminContract, adminContract } from './contract'

/** The procedures that have a route. */
export type AdminClient = ContractRouterClient<Omit<AdminContract, 'tokens'>>

export interface Remote {
  /** Base URL. */
  server: string
  token: string
}

/** Throws `ORPCError`, with the envelope of the answer. */
export const adminClient = ({ server, token }: Remote, fetch: (request: Request) => Promise<Response>): AdminClient =>
  createORPCClient(
    new OpenAPILink(adminContract, {
      url: `${server.replace(/\/+$/, '')}${ADMIN_PREFIX}`,
      headers: { authorization: `Bearer ${token}` },
      fetch: (request) => fetch(request),
    }),
  )
