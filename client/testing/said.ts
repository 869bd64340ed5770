/** What a service in memory is asked and says. */
import type { Template } from '../types'

/** As `getTemplate` answers it; languages need not be said. */
export type TestTemplate = Omit<Template, 'bodies'> & Partial<Pick<Template, 'bodies'>>

export interface ServiceOptions {
  /** Unix milliseconds. */
  now: () => number
  region: string
  templates: readonly TestTemplate[]
  resendAfterMs: number
}

export interface Said {
  /** HTTP status. */
  status: number
  body: object
  /** To be signed, for the proof that goes with it. */
  claims?: object | undefined
  retryAfterMs?: number | undefined
}

/** The errors of the interface. */
export type InterfaceErrorCode =
  | 'BAD_REQUEST'
  | 'UNAUTHORIZED'
  | 'PAYMENT_REQUIRED'
  | 'FORBIDDEN'
  | 'NOT_FOUND'
  | 'CONFLICT'
  | 'PAYLOAD_TOO_LARGE'
  | 'TOO_MANY_REQUESTS'
  | 'INTERNAL_SERVER_ERROR'
  | 'SERVICE_UNAVAILABLE'

export interface Service {
  answer(operation: string, input: unknown): Said
  /** What it says where it refuses, whatever the reason. */
  refuse(code: InterfaceErrorCode, data: object | undefined): Said
}

export type CreateService = (options: ServiceOptions) => Service
