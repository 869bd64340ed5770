/** Send one marked message by hand, past queue, wallet and issues, and say exactly what the carrier answered. */
import type { SendOutcome } from '../domain/delivery/delivery'
import { type Numbering, textableRecipient } from '../domain/phone/phone'
import { invalid } from '../domain/shared/error'
import type { Leg } from '../domain/shared/value'
import type { Carrier } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Random } from '../ports/vault'

interface TestDependencies {
  clock: Clock
  random: Random
  numbering: Numbering
}

export interface TestOrder {
  to: string
  channel: Leg
  /** The carrier's code of an approved AlimTalk template with a `code` variable. */
  templateCode?: string
}

const CODE = '000000'
const TEXT = `Watchword test message. 인증 테스트 ${CODE}`
const LIFETIME_MS = 60_000

/** Throws `invalid` for an impossible number. */
export async function testCarrier(
  { clock, random, numbering }: TestDependencies,
  carrier: Carrier,
  { to, channel, templateCode }: TestOrder,
): Promise<{ outcome: SendOutcome; latencyMs: number }> {
  if (channel === 'alimtalk' && templateCode === undefined)
    throw invalid('template-code', 'required', 'an AlimTalk needs one')
  const startedAt = clock.now()
  const outcome = await carrier.send({
    messageId: random.uuid(startedAt),
    channel,
    to: textableRecipient(to, numbering).to,
    text: TEXT,
    code: CODE,
    ...(channel === 'sms' && { messageType: 'SMS' }),
    templateCode,
    variables: { code: CODE },
    isFallback: false,
    expiresAt: startedAt + LIFETIME_MS,
  })
  return { outcome, latencyMs: clock.now() - startedAt }
}
