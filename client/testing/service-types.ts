/** Types of the in-memory service. */
import type { InterfaceErrorCode } from '../error'
import type { Template } from '../types'

/** A template as `getTemplate` answers it; `bodies` may be omitted. */
export type TestTemplate = Omit<Template, 'bodies'> & Partial<Pick<Template, 'bodies'>>

export interface ServiceOptions {
  /** Unix milliseconds. */
  now: () => number
  region: string
  templates: readonly TestTemplate[]
  resendAfterMs: number
}

export interface ServiceAnswer {
  /** HTTP status. */
  status: number
  body: object
  /** Claims of the proof, to be signed. */
  claims?: object | undefined
  retryAfterMs?: number | undefined
}

export interface Service {
  answer(operation: string, input: unknown): ServiceAnswer
  /** The answer of an error code. */
  refuse(code: InterfaceErrorCode, data: object | undefined): ServiceAnswer
}

export type CreateService = (options: ServiceOptions) => Service
