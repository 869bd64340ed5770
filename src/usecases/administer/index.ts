/** Administration, by subject. The command line and the console call these; every change is in the audit log. */

export * from '../abuse/incidents'
export * from '../abuse/set-protection'
export * from './admin-tokens'
export * from './apps'
export * from './carriers'
export * from './challenge'
export {
  addCredit,
  clawBackCredit,
  refundIssue,
  setCreditAlert,
  setOverdraft,
} from './credit'
export { assessIncident, type Damage, type DeliveryIncident, refundIncident, totalOf } from './incident'
export * from './keys'
export * from './nodes'
export * from './notices'
export * from './prices'
export * from './relays'
export * from './review-numbers'
export { existingApp } from './shared'
export * from './templates'
export * from './webhooks'
