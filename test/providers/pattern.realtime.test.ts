/** No answer keeps the server busy, whatever the pattern is that an operator reads it by. */
import { expect, test } from 'bun:test'
import { describedType } from '../../src/providers/described'
import { ACME } from './acme'
import { anSms, answered, FakeVendor } from './fake-vendor-korean'

const LONGEST = 64 * 1024
const SHORT = LONGEST / 16
/** More than the sixteen times that a linear match takes, far less than the 256 of a quadratic one. */
const AT_MOST = 60
/** The quickest of some is what it takes: the others were held up. */
const TRIES = 10

function carrierWith(answerPattern: string) {
  const vendor = new FakeVendor()
  const { sms } = ACME.send
  const type = describedType({ ...ACME, send: { sms: { ...sms, answerPattern, id: 'id' } } } as typeof ACME)
  const carrier = vendor.provider(type, { account: '77', key: 'acme-key' })
  return async (body: string) => {
    vendor.answer = answered(200, body)
    let quickest = Number.POSITIVE_INFINITY
    for (let tried = 0; tried < TRIES; tried++) {
      const begunAt = performance.now()
      await carrier.send(anSms())
      quickest = Math.min(quickest, performance.now() - begunAt)
    }
    return quickest
  }
}

test.each(['^(?<id>(a+)+)$', '(?<id>a*)a*!?b', '(?<id>(a|aa)+)$', '(?<id>.*.*=.*)'])(
  'sixteen times as much takes about sixteen times as long: %s',
  async (pattern) => {
    const quickestMs = carrierWith(pattern)
    const hostile = (length: number) => `${'a'.repeat(length - 1)}!`
    await quickestMs(hostile(SHORT))
    expect(await quickestMs(hostile(LONGEST))).toBeLessThan(AT_MOST * (await quickestMs(hostile(SHORT))))
  },
)
