/** What a service in memory is asked and says. */
import type { InterfaceErrorCode } from '../error'
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

export interface ServiceAnswer {
  /** HTTP status. */
  status: number
  body: object
  /** To be signed, for the proof that goes with it. */
  claims?: object | undefined
  retryAfterMs?: number | undefined
}

export interface Service {
  answer(operation: string, input: unknown): ServiceAnswer
  /** What it says where it refuses, whatever the reason. */
  refuse(code: InterfaceErrorCode, data: object | undefined): ServiceAnswer
}

export type CreateService = (options: ServiceOptions) => Service
