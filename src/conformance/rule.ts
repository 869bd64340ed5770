/** A rule of the interface specification as a check that any server can be held to, over either wire. */
import { isDeepStrictEqual } from 'node:util'
import type { contract } from '../../contract'

export type TestedOperation = keyof typeof contract

// biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used
export type Untyped = any

export interface ServerAnswer {
  status: number
  headers: Headers
  body: Untyped
}

export interface CallOptions {
  /** Another key than that of the run; null for none. */
  key?: string | null
  headers?: Record<string, string>
}

/** The kind of key that a rule needs beside the first. */
export type SecondKey = 'publicKey' | 'otherKey'

/** A server under test, with a key of one mode. */
export interface TestedServer {
  readonly mode: 'live' | 'test'
  /** Keys of a test app's browser and of another app, where the run has them. */
  readonly keys: Partial<Record<SecondKey, string>>
  call(operation: TestedOperation, input?: object, options?: CallOptions): Promise<ServerAnswer>
  /** A request that is no operation. */
  send(method: string, path: string, options?: CallOptions): Promise<ServerAnswer>
  /** A number that nobody has used, whose code is delivered. */
  freshNumber(): string
  /** The code that was delivered last to this number; in test mode the fixed one. */
  codeOf(phoneNumber: string): Promise<string>
  /** A text that nobody has used. */
  unique(): string
  /** Monotonic time in ms. */
  now(): number
  wait(ms: number): Promise<void>
  /** How far from its moment something may happen. */
  readonly slackMs: number
}

export interface ConformanceRule {
  /** The part of the specification. */
  part: string
  promise: string
  /** It needs magic numbers. */
  isOfTestMode?: true
  needs?: SecondKey
  check(api: TestedServer): Promise<void>
}

/** A difference between an answer and a rule. Its message has both. */
export class Broken extends Error {}

/**
 * Throws `Broken` unless `actual` is as expected. An expected object may have fewer fields; a field that is undefined must be
 * missing. An expected pattern must match, an expected function must hold, and a list must be as long.
 */
export function expectThat(actual: Untyped, expected: Untyped, what = 'the answer'): void {
  if (typeof expected === 'function') check(expected(actual) === true, what, actual, 'another value')
  else if (expected instanceof RegExp)
    check(typeof actual === 'string' && expected.test(actual), what, actual, expected)
  else if (typeof expected !== 'object' || expected === null)
    check(isDeepStrictEqual(actual, expected), what, actual, expected)
  else {
    check(typeof actual === 'object' && actual !== null, what, actual, expected)
    if (Array.isArray(expected)) check(actual.length === expected.length, `the length of ${what}`, actual, expected)
    for (const [name, value] of Object.entries(expected)) expectThat(actual[name], value, `${what}: ${name}`)
  }
}

function check(holds: boolean, what: string, actual: Untyped, expected: Untyped): void {
  const shown = (value: Untyped) => (value instanceof RegExp ? String(value) : (JSON.stringify(value) ?? 'nothing'))
  if (!holds) throw new Broken(`${what} is ${shown(actual)} instead of ${shown(expected)}`)
}

/** An answer with its status and its body. */
export function expectAnswer({ status, body }: ServerAnswer, expectedStatus: number, expectedBody: Untyped = {}): void {
  if (status !== expectedStatus)
    throw new Broken(`the status is ${status} instead of ${expectedStatus}, with ${JSON.stringify(body)}`)
  expectThat(body, expectedBody)
}

/** The error envelope. */
export const envelope = (status: number, code: string, more: object = {}) => ({
  ...{ defined: true, code, status, message: /./ },
  ...more,
})

export const expectRefused = (answer: ServerAnswer, status: number, code: string, more: object = {}) =>
  expectAnswer(answer, status, envelope(status, code, more))

/** An object with these fields and no others. */
export const expectFields = (actual: object, names: readonly string[]) =>
  expectThat(Object.keys(actual).sort(), [...names].sort(), 'the list of fields')

/** Issues a code for a fresh number, unless the input names one. */
export async function issue(api: TestedServer, input: object = {}): Promise<Untyped & { phoneNumber: string }> {
  const request = { phoneNumber: api.freshNumber(), purpose: 'conformance', idempotencyKey: api.unique(), ...input }
  const answer = await api.call('issue', request)
  expectAnswer(answer, 200, { issueId: /./ })
  return { ...answer.body, phoneNumber: request.phoneNumber }
}

export async function verify(
  api: TestedServer,
  issueId: string,
  code: string,
  options: CallOptions = {},
): Promise<Untyped> {
  const answer = await api.call('verify', { issueId, code }, options)
  expectAnswer(answer, 200, { issueId, verified: (value: Untyped) => typeof value === 'boolean' })
  return answer.body
}

export async function statusOf(api: TestedServer, issueId: string): Promise<Untyped> {
  const answer = await api.call('status', { issueId })
  expectAnswer(answer, 200, { issueId })
  return answer.body
}

/** A code of six digits that is not the given one. */
export const wrongCode = (code: string) => (code === '111111' ? '222222' : '111111')

/** No issue has it: its moment is long past. */
export const UNKNOWN_ID = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'
