/** Send one marked message by hand, past queue, wallet and issues, and say exactly what the carrier answered. */
import type { SendOutcome } from '../domain/delivery/delivery'
import { type Numbering, textableRecipient } from '../domain/phone/phone'
import { invalid } from '../domain/shared/error'
import type { Leg } from '../domain/shared/value'
import type { Carrier } from '../ports/carrier'
import type { Clock } from '../ports/clock'
import type { Random } from '../ports/vault'

export interface TestDependencies {
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

/** In the order in which they happen. */
export const TEST_STEPS = ['address', 'connection', 'certificate', 'answer', 'account', 'message'] as const
export type TestStepName = (typeof TEST_STEPS)[number]

/** How far the test came. The step that did not succeed is `failed`, or `unknown`; the ones behind it were not reached. */
export interface TestStep {
  name: TestStepName
  state: 'done' | 'failed' | 'unknown' | 'not_reached'
}

export interface TestReport {
  outcome: SendOutcome
  latencyMs: number
  steps: TestStep[]
  /** Whether the carrier reports deliveries. */
  reports: boolean
}

const CODE = '000000'
const TEXT = `Watchword test message. 인증 테스트 ${CODE}`
const LIFETIME_MS = 60_000

/** Throws `invalid` for an impossible number. */
export async function testCarrier(
  { clock, random, numbering }: TestDependencies,
  carrier: Carrier,
  { to, channel, templateCode }: TestOrder,
): Promise<TestReport> {
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
  return { outcome, latencyMs: clock.now() - startedAt, steps: stepsOf(outcome), reports: carrier.reports }
}

/** Read from the one answer: a second connection might be another server of the carrier, and a second message is paid for. */
export function stepsOf(outcome: SendOutcome): TestStep[] {
  const stop = outcome.kind === 'accepted' ? undefined : stopOf(outcome)
  const at = stop === undefined ? TEST_STEPS.length : TEST_STEPS.indexOf(stop)
  const stateAt = (index: number): TestStep['state'] => {
    if (index < at) return 'done'
    if (index > at) return 'not_reached'
    return outcome.kind === 'ambiguous' ? 'unknown' : 'failed'
  }
  return TEST_STEPS.map((name, index) => ({ name, state: stateAt(index) }))
}

function stopOf(outcome: Exclude<SendOutcome, { kind: 'accepted' }>): TestStepName {
  const { kind, code } = outcome
  if (kind === 'ambiguous') return /NO_ANSWER/.test(code) ? 'answer' : 'message'
  if (outcome.retry === 'unreached' || code.startsWith('NOT_SENT_')) {
    if (/ENOTFOUND|EAI_|ENODATA|DNS/.test(code)) return 'address'
    return /CERT|TLS|SSL|SIGN|ALTNAME|VERIFY|EPROTO/.test(code) ? 'certificate' : 'connection'
  }
  return outcome.retry === 'unfit' ? 'account' : 'message'
}
