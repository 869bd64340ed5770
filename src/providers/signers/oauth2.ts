/** An access token by OAuth 2 client credentials (RFC 6749, 4.4), kept until it expires. */
import { SECOND_MS } from '../../domain/shared/value'
import type { TransportResult } from '../../ports/network'
import { parseObject, textOf } from '../answer'
import type { RequestAuth } from '../description'
import { filled, type ValueScope } from '../template'
import type { CarrierDependencies } from '../type'

/** It is renewed so long before it expires, so that no message meets its end. */
const EARLY_MS = 30 * SECOND_MS
/** The value where the answer does not say. */
const USUAL_LIFE_SEC = 300

/** RFC 6750, 2.1; another would break the header that it stands in. */
const IN_A_HEADER = /^[\x21-\x7e]+$/

type OAuth2 = Extract<RequestAuth, { type: 'oauth2' }>

export class AccessTokens {
  #held: { token: string; until: number } | undefined
  #asking: Promise<string | TransportResult> | undefined

  constructor(
    private readonly auth: OAuth2,
    private readonly settings: ValueScope,
    private readonly deps: Pick<CarrierDependencies, 'transport' | 'clock' | 'timeoutMs'>,
  ) {}

  /** The token, or why there is none: nothing was sent to the carrier then. */
  async current(): Promise<string | TransportResult> {
    if (this.#held && this.deps.clock.now() < this.#held.until) return this.#held.token
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** The carrier refused it, whatever it said of its life. */
  forget(token: string): void {
    if (this.#held?.token === token) this.#held = undefined
  }

  async #ask(): Promise<string | TransportResult> {
    const { transport, clock, timeoutMs } = this.deps
    const fill = (template: string) => filled(template)(this.settings)
    const [clientId, clientSecret, scope] = [this.auth.clientId, this.auth.clientSecret, this.auth.scope].map(fill)
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) })
    const isInBody = this.auth.credentials === 'body'
    if (isInBody)
      for (const [name, value = ''] of [
        ['client_id', clientId],
        ['client_secret', clientSecret],
      ] as const)
        form.set(name, value)
    // Both are form-encoded before they are joined (RFC 6749, 2.3.1).
    const pair = [clientId, clientSecret].map((one = '') => encodeURIComponent(one)).join(':')
    const result = await transport.request({
      method: 'POST',
      url: fill(this.auth.tokenUrl),
      headers: {
        accept: 'application/json',
        'content-type': 'application/x-www-form-urlencoded',
        ...(!isInBody && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
      },
      body: form.toString(),
      timeoutMs,
    })
    if (result.kind !== 'answered') return { kind: 'not_sent', reason: `OAUTH_${result.reason}` }
    const { access_token: given, expires_in: lifeSec = USUAL_LIFE_SEC } = parseObject(result.body)
    const token = textOf(given)
    // Credentials that are refused are the account's, as those of a message would be, and 429 asks for patience.
    const { status } = result
    if ([400, 401, 403, 429].includes(status)) return { kind: 'answered', status: status === 429 ? 429 : 401, body: '' }
    if (status !== 200 || token === undefined || !IN_A_HEADER.test(token))
      return { kind: 'not_sent', reason: status === 200 ? 'OAUTH_WITHOUT_TOKEN' : `OAUTH_HTTP_${status}` }
    this.#held = { token, until: clock.now() + Number(lifeSec) * SECOND_MS - EARLY_MS }
    return token
  }
}
