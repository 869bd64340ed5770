/** What operators do, by subject. The command line and the console call these; every change is in the audit log. */
export * from './apps'
export * from './carriers'
export * from './credit'
export * from './keys'
export { type AdminDependencies, existingApp } from './shared'
export * from './templates'
export * from './webhooks'
