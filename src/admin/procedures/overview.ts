import { implement } from '@orpc/server'
import type { ProtectionHistory } from '../../usecases/abuse/read-protection'
import { Overview } from '../../usecases/read-overview'
import { type AdminContext, type AdminServices, administratorOf } from '../context'
import { adminContract } from '../contract'
import { shownKey } from './apps'
import { incidentView } from './protection'
import { endpointView } from './webhooks'

const MOST_ENDPOINTS = 20
const MOST_KEYS = 20

export function overviewProcedures(deps: AdminServices, history: ProtectionHistory) {
  const os = implement(adminContract.overview).$context<AdminContext>()
  const overview = new Overview({ ...deps, history })
  const { store } = deps
  const { hookPolicy } = deps.facts
  return os.router({
    show: os.show.handler(async ({ input: { appId, mode }, context }) => {
      const seen = administratorOf(context).appIds
      const { incidents, failures, openKeys, appIds, carriers, ...report } = await overview.read(appId ?? seen, mode)
      const ofApps = await Promise.all(appIds.map((appId) => store.read.endpoints.ofApp(appId)))
      const endpoints = ofApps.flat().map((endpoint) => endpointView(endpoint, hookPolicy))
      return {
        ...report,
        carriers: seen === undefined ? carriers : [],
        incidents: incidents.map(incidentView),
        failures: failures.map(({ purpose, ...failure }) => ({ ...failure, purpose: purpose.trim() })),
        endpoints: endpoints
          .filter((endpoint) => endpoint.mode === mode)
          .filter(({ enabled, failingSince, warning }) => !enabled || failingSince !== undefined || warning)
          .slice(0, MOST_ENDPOINTS),
        openKeys: openKeys
          .slice(0, MOST_KEYS)
          .map((key) => ({ appId: key.appId, keyId: key.keyId, shown: shownKey(key), allows: [...key.allows] })),
      }
    }),
  })
}
