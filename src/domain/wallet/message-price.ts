/** Dated prices of messages at carriers, in real currencies beside the credit of apps. Decisions: "Usage". */
import { invalid } from '../shared/error'
import { isDay } from '../shared/time-zone'
import { isLeg, type Leg } from '../shared/value'

/** The price of one message. An empty carrier, country or channel stands for any. */
export interface MessagePrice {
  readonly priceId: string
  readonly carrier: string
  readonly country: string
  readonly channel: Leg | ''
  /** ISO 4217. */
  readonly currency: string
  /** Millionths of the currency's unit. */
  readonly millionths: number
  /** The first day it is valid, in the time zone of a report. */
  readonly validFrom: string
}

export const PRICES_MAX = 5_000
const UNIT = 1_000_000
const MOST_UNITS = 10_000

/** Throws `invalid`. */
export function assertPrice({
  country,
  channel,
  currency,
  millionths,
  validFrom,
}: Omit<MessagePrice, 'priceId'>): void {
  if (!/^([A-Z]{2})?$/.test(country)) throw invalid('country', 'invalid_country', 'must be a code of ISO 3166')
  if (channel !== '' && !isLeg(channel)) throw invalid('channel', 'invalid_format', 'must be a channel')
  if (!Intl.supportedValuesOf('currency').includes(currency))
    throw invalid('currency', 'invalid_currency', 'must be a currency of ISO 4217, such as KRW')
  if (!Number.isSafeInteger(millionths) || millionths < 0 || millionths > MOST_UNITS * UNIT)
    throw invalid('amount', 'invalid_amount', `must be an amount from 0 to ${MOST_UNITS}, such as 9.9`)
  if (!isDay(validFrom)) throw invalid('validFrom', 'invalid_day', 'must be a day, such as 2026-01-31')
}

/** An amount such as `9.9` in millionths. Throws `invalid`. */
export function millionthsOf(amount: string): number {
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(amount) ?? []
  if (whole === '') throw invalid('amount', 'invalid_amount', `must be an amount from 0 to ${MOST_UNITS}, such as 9.9`)
  return Number(whole) * UNIT + Number(part.padEnd(6, '0'))
}

/** Millionths as an amount such as `9.9`, exactly. */
export function amountText(millionths: bigint | number): string {
  const digits = String(millionths).padStart(7, '0')
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '')
}

const setFields = ({ carrier, country, channel }: MessagePrice) =>
  Number(!!carrier) + Number(!!country) + Number(!!channel)

/** Prices with more fields first; of as many, those with a carrier, then those with a country; then the newest. */
const mostSpecificFirst = (a: MessagePrice, b: MessagePrice) =>
  setFields(b) - setFields(a) ||
  Number(!!b.carrier) - Number(!!a.carrier) ||
  Number(!!b.country) - Number(!!a.country) ||
  (a.validFrom < b.validFrom ? 1 : -1)

export interface PricedMessage {
  carrier: string
  country: string
  channel: Leg
}

/** Finds the price of a message on a day; undefined where it has none. */
export function priceFinder(
  prices: readonly MessagePrice[],
): (message: PricedMessage, day: string) => MessagePrice | undefined {
  const sorted = prices.toSorted(mostSpecificFirst)
  const known = new Map<string, readonly MessagePrice[]>()
  const isFor = (price: MessagePrice, message: PricedMessage) =>
    (['carrier', 'country', 'channel'] as const).every((name) => price[name] === '' || price[name] === message[name])
  return (message, day) => {
    const name = JSON.stringify([message.carrier, message.country, message.channel])
    const ofMessage = known.get(name) ?? sorted.filter((price) => isFor(price, message))
    known.set(name, ofMessage)
    return ofMessage.find(({ validFrom }) => validFrom <= day)
  }
}
