/**
 * A message to a phone: what it costs, which legs it goes by, and what becomes of it. Delivery, settlement, plans, reports, erasure and
 * the rules against abuse speak of messages. Specification: "Delivery status"; its events are `message.*`, and `otp.*` where it
 * carries a code of ours.
 */
import type { PlannedLeg } from '../delivery/plan'
import type { Addressed, VerificationStatus } from '../shared/addressed'
import type { Leg } from '../shared/value'
import type { BillingStatus, Settlement } from '../wallet/wallet'

export type DeliveryStatus = 'queued' | 'sent' | 'delivered' | 'failed'

/** Times are Unix milliseconds, amounts credits. Holds neither number nor text. */
export interface Message extends Addressed {
  /** Whether a failed AlimTalk may fall back to SMS. */
  readonly smsFallback: boolean
  readonly deliveryStatus: DeliveryStatus
  /** The leg that carries it now. */
  readonly leg: Leg
  /** With a delivery plan: the current leg and the legs that may follow. Undefined: the default of the channel. */
  readonly legs: readonly PlannedLeg[] | undefined
  /** Whether the current leg is still to be sent. */
  readonly sendPending: boolean
  readonly providerOutcomeAmbiguous: boolean
  readonly providerOutcomeCode: string | undefined

  readonly billingStatus: BillingStatus
  readonly price: number
  readonly debitedAmount: number

  /** The call of a carrier that was begun as the message was stored, until its answer is. */
  readonly begunCall?: BegunCall | undefined

  /** The code of another platform, sealed, in a test message of a relay: the console's inbox opens it. */
  readonly sealedCode?: string | undefined

  /** The status of the code it carries: a code that is over is not worth sending. Undefined: it carries none of ours. */
  readonly verificationStatus?: VerificationStatus | undefined
}

/** A call without an attempt yet: one row fewer to write before a message goes out with its issue. */
export interface BegunCall {
  readonly carrier: string
  readonly calledAt: number
  /** As in an attempt. */
  readonly text: string | undefined
}

/** A message that is to be sent by its first leg. */
export const newMessage = (
  addressed: Addressed,
  { smsFallback, legs, price }: Pick<Message, 'smsFallback' | 'legs' | 'price'>,
): Message => ({
  ...addressed,
  smsFallback,
  deliveryStatus: 'queued',
  leg: legs?.[0]?.channel ?? addressed.channel,
  legs,
  sendPending: true,
  providerOutcomeAmbiguous: false,
  providerOutcomeCode: undefined,
  // A free message needs no settlement.
  billingStatus: price > 0 ? 'reserved' : 'released',
  price,
  debitedAmount: 0,
})

export const isSettled = ({ billingStatus }: Message): boolean =>
  billingStatus === 'debited' || billingStatus === 'released'

/** Marks the reservation as ended. The wallet is changed in the same transaction. */
export const settled = <M extends Message>(message: M, settlement: Settlement): M =>
  settlement === 'debit'
    ? { ...message, billingStatus: 'debited', debitedAmount: message.price }
    : { ...message, billingStatus: 'released' }
