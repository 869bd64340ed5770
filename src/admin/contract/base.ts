/** Shared by all procedures of administration: permissions, routes, errors and common schemas. */
import { oc } from '@orpc/contract'
import { z } from 'zod'
import { HOOK_EVENT_TYPES } from '../../../contract/constants'
import { PERMISSIONS, type Permission, ROLES } from '../../domain/access/operator'
import type { ReasonAbout, RefusalReason } from '../../domain/shared/reason'
import { CHANNELS, LEGS } from '../../domain/shared/value'

/**
 * What an operator who sees some apps only may call. `app`: its input names an app, or something that belongs to one, and it is
 * theirs. `apps`: it spans apps, and answers theirs only. `anyone`: it concerns the caller, or nothing that is kept from
 * anyone. `installation`: nothing.
 */
export type Reach = 'app' | 'apps' | 'anyone' | 'installation'

/** Every procedure names the permission it needs; `null` is for callers who are not signed in. */
export interface Access {
  permission: Permission | null
  reach: Reach
}

/** A text of ours: newer servers may say another one. */
const asText = <Word extends string>() => z.string() as z.ZodType<string> as z.ZodType<Word>

/** Data with which the page translates a refusal. */
export const mistake = z
  .object({
    /** In English; pages have their own words for the reason. */
    message: z.string(),
    param: z.string(),
    reason: asText<RefusalReason>(),
    about: z.record(z.string(), z.unknown()) as z.ZodType<unknown> as z.ZodType<ReasonAbout>,
  })
  .partial()

const refused = mistake.extend({ code: z.string(), retryAfterMs: z.int() }).partial().optional()

const errors = {
  BAD_REQUEST: { status: 400, message: 'The input is not right', data: refused },
  UNAUTHORIZED: { status: 401, message: 'Sign in first', data: refused },
  FORBIDDEN: { status: 403, message: 'Your role does not allow this', data: refused },
  NOT_FOUND: { status: 404, message: 'No such thing', data: refused },
  CONFLICT: { status: 409, message: 'It has changed meanwhile', data: refused },
  UNPROCESSABLE_CONTENT: { status: 422, message: 'A rule does not allow this', data: refused },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many attempts; wait a while', data: refused },
  PAYMENT_REQUIRED: { status: 402, message: 'Not enough credit', data: refused },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service cannot do this at the moment' },
} as const

export const procedure = (permission: Permission | null, reach: Reach = permission === null ? 'anyone' : 'app') =>
  oc.$meta<Access>({ permission, reach }).meta({ permission, reach }).errors(errors)

type ActRoute = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`

/** An act of administration: `says` is its summary, and after the first sentence what else a caller has to know. */
export const act = (route: ActRoute, says: string, permission: Permission, reach?: Reach) => {
  const [method, path] = route.split(' ') as ['GET', `/${string}`]
  const [summary = says, ...more] = says.split(/(?<=\.) /)
  return procedure(permission, reach).route({
    ...{ method, path, summary: summary.slice(0, -1) },
    ...(more.length > 0 && { description: more.join(' ') }),
  })
}

/** Unix milliseconds. */
export const at = z.int().min(0).max(8_640_000_000_000_000)
export const mode = z.enum(['live', 'test']).describe('In test mode nothing is sent or billed.')
export const channel = z.enum(CHANNELS).describe('The channel that callers ask for.')
export const leg = z.enum(LEGS).describe('A channel that carries messages.')
export const email = z.email().max(254)
export const role = z.enum(ROLES)
export const permission = z.enum(PERMISSIONS)
export const eventType = z.enum(HOOK_EVENT_TYPES)
/** Each is stored by itself. */
export const severalCountries = z.array(z.string()).min(1).max(250).describe('Each of these, instead of `country`.')
/** One country, or none for all others. */
export const oneCountry = z
  .string()
  .optional()
  .describe('ISO 3166 code such as KR; missing: every country without one of its own.')
export const ok = z.object({ ok: z.literal(true) })

export const ofApp = z.object({ appId: z.string().min(1).describe('Id of the app, as the list of apps has it.') })
export const ofAppAndMode = ofApp.extend({ mode })

/** A page of rows, newest first; `next` is the `after` of the following page. */
export const pageOf = <T extends z.ZodType>(row: T) => z.object({ rows: z.array(row), next: z.string().optional() })
export const pageInput = z.object({ after: z.string().optional(), limit: z.int().min(1).max(200).default(50) })
