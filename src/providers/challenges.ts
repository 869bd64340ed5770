/** Vendors of challenges, all of whom are asked alike: a form with secret and token, answered by JSON with `success`. */
import {
  type ChallengeSettings,
  judge,
  type Proof,
  TOO_MANY,
  VERIFY_TIMEOUT_MS,
  type Vendor,
} from '../abuse/rules/challenge'
import type { Challenges } from '../ports/challenge'
import type { Transport } from '../ports/network'
import { parseJson } from './answer'

/** For an app and a kind of key. More would be callers who wait and sockets that are open for as long as a vendor hangs. */
const MAX_IN_FLIGHT = 128

interface ChallengesDependencies {
  transport: Transport
  /** Where each is asked. */
  urls: Readonly<Record<Vendor, string>>
}

export function createChallenges({ transport, urls }: ChallengesDependencies): Challenges {
  const inFlight = new Map<string, number>()
  return {
    async verify({ appId, kind }, settings, { token, address }): Promise<Proof> {
      const counted = `${kind} ${appId}`
      const others = inFlight.get(counted) ?? 0
      if (others >= MAX_IN_FLIGHT) return TOO_MANY
      inFlight.set(counted, others + 1)
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
        const left = (inFlight.get(counted) ?? 0) - 1
        if (left > 0) inFlight.set(counted, left)
        else inFlight.delete(counted)
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
