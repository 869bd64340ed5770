/** The typed client over an in-memory service in test mode. */
import { clientOver, type OtpClient, type OtpClientOptions } from '../client'
import { WatchwordError } from '../error'
import type { FlowClock } from '../flow/clock'
import { type Answer, type Call, type Envelope, refusal } from '../wire'
import { TestClock } from './clock'
import { type Failure, type FailureCode, type FailureOptions, Trouble, type WhichCall } from './failures'
import { createService } from './service'
import type { ServiceAnswer, TestTemplate } from './service-types'

export interface TestClientOptions extends Pick<OtpClientOptions, 'retries' | 'timeoutMs'> {
  /**
   * Time at the beginning, Unix milliseconds; the current time when omitted. It stands still until the test advances
   * it. A function is called each time: `Date.now` follows fake timers.
   */
  now?: Date | number | (() => number)
  /** ISO 3166 country whose national phone formats are read; `KR` when omitted. */
  region?: string
  /** Templates of the app beside the built-in ones, as `getTemplate` answers them. */
  templates?: readonly TestTemplate[]
  /**
   * Milliseconds between two codes for a phone, as with a live browser key (30,000 by default). No wait when omitted,
   * as in test mode.
   */
  resendAfterMs?: number
}

/** A client in test mode, all in memory. It accepts magic numbers only. */
export interface TestClient extends OtpClient {
  /** Its clock, for `createFlow({ clock })`, so that waits of a flow pass with the test's time. */
  readonly clock: FlowClock
  /** Unix milliseconds, as the service sees it. */
  now(): number
  /** Advances the time: messages arrive, codes expire, waits end. */
  advance(ms: number): Promise<void>
  /** Makes the next call fail; each further call of it one more. */
  failNext(code: FailureCode, options?: FailureOptions): void
  /** Public keys of proofs: `createProofVerifier({ fetch: async () => Response.json(await otp.jwks()) })`. */
  jwks(): Promise<{ keys: object[] }>
  /** Delays the answer to the next call by `clock`; `Infinity`: there is no answer. */
  delayNext(ms: number, which?: WhichCall): void
}

/** Creates a client with an empty service of its own. */
export function createTestClient(options: TestClientOptions = {}): TestClient {
  const { now = Date.now(), region = 'KR', templates = [], resendAfterMs = 0 } = options
  const clock = new TestClock(typeof now === 'function' ? now : () => Number(now))
  const service = createService({ now: () => clock.time(), region, templates, resendAfterMs })
  const trouble = new Trouble()
  const signer = new Signer()
  let calls = 0

  /** Undefined where no answer arrives. */
  function answerTo({ operation, input }: Call, failure: Failure | undefined): ServiceAnswer | undefined {
    if (!failure) return service.answer(operation, asSent(input))
    const { code, data, retryAfterMs, carriedOut = false } = failure
    if (carriedOut) service.answer(operation, asSent(input))
    if (code === 'NETWORK_ERROR' || code === 'TIMEOUT') return undefined
    return { ...service.refuse(code, data), retryAfterMs }
  }

  async function exchange(call: Call): Promise<Answer> {
    const requestId = call.requestId ?? `test-request-${++calls}`
    const { failure, delayMs } = trouble.of(call.operation)
    const said = answerTo(call, failure)
    const serverTime = new Date(clock.time()).toISOString()
    const proof = said?.claims && (await clock.during(signer.sign(said.claims)))
    if (delayMs > 0) await new Promise<void>((resolve) => clock.after(delayMs, resolve))
    if (!said) throw failure?.code === 'TIMEOUT' ? late(call) : new TypeError('fetch failed')
    call.heard.requestId = requestId
    if (said.status !== 200) throw refused(said, call)
    return { output: asSent({ ...said.body, proof }), serverTime }
  }

  return {
    ...clientOver(exchange, { ...options, after: clock.after }),
    clock,
    now: () => clock.time(),
    advance: (ms) => clock.advance(ms),
    failNext: (code, how) => trouble.fail({ ...how, code }),
    delayNext: (ms, which) => trouble.delay({ ...which, ms }),
    jwks: () => signer.published(),
  }
}

/** Times out. */
const late = ({ isIdempotent }: Call) =>
  new WatchwordError({ code: 'TIMEOUT', message: 'No answer in time', retryable: isIdempotent })

/** Passes it through JSON, as over the wire. */
const asSent = <T>(json: T): T => JSON.parse(JSON.stringify({ json })).json

function refused({ status, body, retryAfterMs }: ServiceAnswer, call: Call) {
  const headers = { get: () => (retryAfterMs === undefined ? null : String(Math.ceil(retryAfterMs / 1_000))) }
  return refusal(asSent(body) as Envelope, { status, headers }, call)
}

const KEY_NAME = 'test'

export class Signer {
  #pair: Promise<CryptoKeyPair> | undefined

  /** A compact JWT; undefined where the platform has no WebCrypto, as some simulated browsers. */
  async sign(claims: object): Promise<string | undefined> {
    if (!globalThis.crypto?.subtle) return undefined
    const { privateKey } = await this.#keys()
    const signed = `${encoded({ alg: 'EdDSA', typ: 'JWT', kid: KEY_NAME })}.${encoded(claims)}`
    const signature = await crypto.subtle.sign('Ed25519', privateKey, new TextEncoder().encode(signed))
    return `${signed}.${base64url(new Uint8Array(signature))}`
  }

  /** Public keys in the form of `/.well-known/jwks.json`. */
  async published(): Promise<{ keys: object[] }> {
    const { kty, crv, x } = await crypto.subtle.exportKey('jwk', (await this.#keys()).publicKey)
    return { keys: [{ kty, crv, x, use: 'sig', alg: 'EdDSA', kid: KEY_NAME }] }
  }

  #keys(): Promise<CryptoKeyPair> {
    this.#pair ??= crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']) as Promise<CryptoKeyPair>
    return this.#pair
  }
}

const base64url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')

const encoded = (part: object): string => base64url(new TextEncoder().encode(JSON.stringify(part)))
