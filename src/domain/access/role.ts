/** Roles of operators and their permissions. Decisions: "Operators". */
import { forbidden } from '../shared/error'

export const ROLES = ['owner', 'developer', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/**
 * look: everything that is shown · try: issue and verify test codes · keys, templates, webhooks: make and change them ·
 * apps: create, rename, set the region · money: top up, refund, claw back · carriers: test messages and routes ·
 * operators: invite, change, remove · audit: read and export the log · privacy: export and erase what is stored of a phone
 */
export const PERMISSIONS = [
  'look',
  'try',
  'keys',
  'templates',
  'webhooks',
  'apps',
  'money',
  'carriers',
  'operators',
  'audit',
  'privacy',
] as const
export type Permission = (typeof PERMISSIONS)[number]

const MAY: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  developer: ['look', 'try', 'keys', 'templates', 'webhooks'],
  viewer: ['look'],
}

export const may = (role: Role, permission: Permission): boolean => MAY[role].includes(permission)

/** Throws `forbidden` where the role lacks the permission. */
export function assertMay(role: Role, permission: Permission): void {
  if (!may(role, permission)) throw forbidden('role_lacks_permission', 'Your role does not allow this')
}

export const permissionsOf = (role: Role): readonly Permission[] => MAY[role]
