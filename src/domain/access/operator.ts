/** Operators: their roles, sessions and invitations. Decisions: "Operators". */
import { forbidden, invalid } from '../shared/error'
import { DAY_MS, HOUR_MS } from '../shared/value'
import type { Device } from './device'

export const ROLES = ['owner', 'developer', 'operator', 'support', 'finance', 'viewer'] as const
export type Role = (typeof ROLES)[number]

/**
 * look: everything that is shown · find: find a code by its phone number, unlock the phone, send its webhook events again ·
 * try: issue and verify test codes · keys, templates, webhooks: create and change them ·
 * apps: create, rename, set the region · protection: policy, blocks, incidents ·
 * carriers: add, change, remove, test messages, routes and delivery plans ·
 * finance: prices, exports of usage and ledger, tokens of reports · money: top up, refund, claw back ·
 * operators: invite, change, remove · audit: read and export the log · privacy: export and erase what is stored of a phone
 */
export const PERMISSIONS = [
  'look',
  'find',
  'try',
  'keys',
  'templates',
  'webhooks',
  'apps',
  'protection',
  'carriers',
  'finance',
  'money',
  'operators',
  'audit',
  'privacy',
] as const
export type Permission = (typeof PERMISSIONS)[number]

const MAY: Readonly<Record<Role, readonly Permission[]>> = {
  owner: PERMISSIONS,
  developer: ['look', 'find', 'try', 'keys', 'templates', 'webhooks'],
  operator: ['look', 'find', 'protection', 'carriers'],
  support: ['look', 'find'],
  finance: ['look', 'finance'],
  viewer: ['look'],
}

export const may = (role: Role, permission: Permission): boolean => MAY[role].includes(permission)

/** Throws `forbidden` where the role lacks the permission. */
export function assertMay(role: Role, permission: Permission): void {
  if (!may(role, permission)) throw forbidden('role_lacks_permission', 'Your role does not allow this')
}

export const permissionsOf = (role: Role): readonly Permission[] => MAY[role]

/** The role of an operator, and the apps for which it holds. */
export interface OperatorRights {
  readonly role: Role
  /** The only apps they see; undefined: all. */
  readonly appIds: readonly string[] | undefined
}

export const seesApp = ({ appIds }: Pick<OperatorRights, 'appIds'>, appId: string): boolean =>
  appIds?.includes(appId) ?? true

const APPS_AT_MOST = 100

/** Throws `invalid`. An owner changes the installation, so that nothing could be kept from them. */
export function assertRights({ role, appIds }: OperatorRights): void {
  if (appIds === undefined) return
  if (role === 'owner') throw invalid('apps', 'owner_sees_all_apps', 'an owner sees all apps')
  if (appIds.length === 0) throw invalid('apps', 'required', 'at least one app, or all')
  if (appIds.length > APPS_AT_MOST)
    throw invalid('apps', 'too_many', `at most ${APPS_AT_MOST} apps`, { max: APPS_AT_MOST })
}

export interface Operator extends OperatorRights {
  readonly operatorId: string
  /** In lower case. */
  readonly email: string
  readonly name: string
  /** argon2id. */
  readonly passwordHash: string
  /** Base32; undefined: no second factor. */
  readonly totpSecret: string | undefined
  /** A secret that was shown and is not confirmed yet; `until`: Unix milliseconds. */
  readonly totpBegun?: { readonly secret: string; readonly until: number } | undefined
  readonly createdAt: number
  readonly lastSeenAt: number | undefined
  /** When the pauses after failed sign-ins were last lifted, Unix milliseconds. */
  readonly unlockedAt: number | undefined
}

export interface OperatorSession extends Readonly<Device> {
  /** SHA-256 of the cookie. */
  readonly tokenHash: Uint8Array
  readonly operatorId: string
  readonly createdAt: number
  readonly lastSeenAt: number
}

/** A link that creates an account, once. */
export interface Invitation extends OperatorRights {
  /** SHA-256 of the link's token. */
  readonly tokenHash: Uint8Array
  /** For whom it is. */
  readonly note: string | undefined
  readonly invitedBy: string
  readonly createdAt: number
  readonly expiresAt: number
}

export const INVITATION_MS = 3 * DAY_MS
/** Longest life of a session and its cookie. */
export const SESSION_MS = 7 * DAY_MS
const IDLE_MS = 12 * HOUR_MS

/** Whether the session is valid. A clock step neither ends it nor prolongs it beyond its longest life. */
export const isLive = ({ createdAt, lastSeenAt }: OperatorSession, now: number) =>
  now < createdAt + SESSION_MS && now < lastSeenAt + IDLE_MS

export const normalizeEmail = (email: string) => email.trim().toLowerCase()

/** Throws `invalid` where no owner would remain. */
export function assertOwnerRemains(operators: readonly Operator[], changed: { operatorId: string; role?: Role }): void {
  const owners = operators.filter(({ operatorId, role }) =>
    operatorId === changed.operatorId ? changed.role === 'owner' : role === 'owner',
  )
  if (owners.length === 0) throw invalid('operator', 'last_owner', 'the last owner has to stay one')
}
