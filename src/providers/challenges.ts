/** Vendors of challenges, all of whom are asked alike: a form with secret and token, answered by JSON with `success`. */
import { type ChallengeSettings, judge, type Proof, VERIFY_TIMEOUT_MS, type Vendor } from '../domain/challenge'
import type { Challenges } from '../ports/challenge'
import type { Transport } from '../ports/network'
import { parseJson } from './answer'

/** More would be callers who wait and sockets that are open for as long as a vendor hangs. */
const MAX_AT_A_TIME = 128

interface ChallengeDependencies {
  transport: Transport
  /** Where each is asked. */
  urls: Readonly<Record<Vendor, string>>
}

export function createChallenges({ transport, urls }: ChallengeDependencies): Challenges {
  let asked = 0
  return {
    async verify(settings, { token, address }): Promise<Proof> {
      if (asked >= MAX_AT_A_TIME) return { kind: 'unavailable', reason: 'TOO_MANY' }
      asked++
      try {
        const result = await transport.request({
          method: 'POST',
          url: urls[settings.vendor],
          headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
          body: formOf(settings, token, address).toString(),
          timeoutMs: VERIFY_TIMEOUT_MS,
        })
        if (result.kind !== 'answered') return { kind: 'unavailable', reason: `NO_ANSWER_${result.reason}` }
        return judge(settings, { status: result.status, body: objectIn(result.body) })
      } finally {
        asked--
      }
    },
  }
}

/** hCaptcha holds the token against the widget it is told of; the others know it by the secret. */
const formOf = ({ vendor, secret, siteKey }: ChallengeSettings, token: string, address: string | undefined) =>
  new URLSearchParams({
    secret,
    response: token,
    ...(address !== undefined && { remoteip: address }),
    ...(vendor === 'hcaptcha' && siteKey !== undefined && { sitekey: siteKey }),
  })

function objectIn(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}
