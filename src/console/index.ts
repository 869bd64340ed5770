/** The console, as the server mounts it. */

import type { AdminServices } from '../admin/context'
import type { Random } from '../ports/vault'
import { CONSOLE_RPC_PREFIX } from './context'
import type { ConsoleRpc } from './rpc'

/**
 * Loads procedures and pages with the first request, because building their schemas would dominate the start of a
 * server.
 */
export function createConsole(deps: AdminServices & { random: Random }) {
  let rpc: Promise<ConsoleRpc> | undefined
  return {
    rpcPrefix: CONSOLE_RPC_PREFIX,
    async rpc(...request: Parameters<ConsoleRpc>): Promise<Response> {
      rpc ??= import('./rpc').then(({ createConsoleRpc }) => createConsoleRpc(deps))
      return (await rpc)(...request)
    },
    async page(path: string, acceptEncoding: string | null): Promise<Response | undefined> {
      const { consoleAsset } = await import('./assets')
      return consoleAsset(path, acceptEncoding, deps.random)
    },
  }
}
