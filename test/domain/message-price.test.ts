import { expect, test } from 'bun:test'
import type { Leg } from '../../src/domain/shared/value'
import { amountText, type MessagePrice, millionthsOf, priceFinder } from '../../src/domain/wallet/message-price'
import fc from '../support/property'

const price = (priceId: string, more: Partial<MessagePrice> = {}): MessagePrice => ({
  ...{ priceId, carrier: '', country: '', channel: '', currency: 'KRW', millionths: 1, validFrom: '2026-01-01' },
  ...more,
})
const SMS = { carrier: 'main', country: 'KR', channel: 'sms' as Leg }
const found = (prices: MessagePrice[], day = '2026-06-01', message = SMS) => priceFinder(prices)(message, day)?.priceId

test('the price with more fields counts, then the one with a carrier, then the one with a country', () => {
  const prices = [
    price('any'),
    price('channel', { channel: 'sms' }),
    price('country', { country: 'KR' }),
    price('carrier', { carrier: 'main' }),
    price('country and channel', { country: 'KR', channel: 'sms' }),
    price('carrier and channel', { carrier: 'main', channel: 'sms' }),
    price('carrier and country', { carrier: 'main', country: 'KR' }),
    price('all', { ...SMS }),
  ]
  for (let count = prices.length; count > 0; count--) {
    expect(found(prices.slice(0, count))).toBe(prices[count - 1]?.priceId)
    expect(found(prices.slice(0, count).reverse())).toBe(prices[count - 1]?.priceId)
  }
})

test('of the same messages the newest that is valid on the day counts; before its day a wider one does', () => {
  const prices = [
    price('wide'),
    price('old', { carrier: 'main', validFrom: '2026-03-01' }),
    price('new', { carrier: 'main', validFrom: '2026-06-01' }),
  ]
  const days = ['2025-12-31', '2026-01-01', '2026-02-28', '2026-03-01', '2026-05-31', '2026-06-01', '2027-01-01']
  expect(days.map((day) => found(prices, day))).toEqual([undefined, 'wide', 'wide', 'old', 'old', 'new', 'new'])
})

test('a price of others is none', () => {
  expect(
    found([price('x', { carrier: 'other' }), price('y', { country: 'US' }), price('z', { channel: 'voice' })]),
  ).toBeUndefined()
})

test('an amount is what was typed, exactly', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000_000 }), (millionths) => {
      expect(millionthsOf(amountText(millionths))).toBe(millionths)
    }),
  )
  expect([0, 1, 9_900_000, 10_000_000].map(amountText)).toEqual(['0', '0.000001', '9.9', '10'])
})
