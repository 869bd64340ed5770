/** Administration, as the server mounts it for machines. */
import type { AdminApi } from './api'
import type { AdminServices } from './context'

/** Loaded with the first request: making its schemas would dominate the start of a server. */
export function lazyAdminApi(deps: AdminServices): AdminApi {
  let api: Promise<AdminApi> | undefined
  return async (...request) => {
    api ??= import('./api').then(({ createAdminApi }) => createAdminApi(deps))
    return (await api)(...request)
  }
}
