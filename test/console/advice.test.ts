/** Whatever became of a code, there are words for the customer. */
import { describe, expect, test } from 'bun:test'
import { Glob } from 'bun'
import { adviceOf, adviceWords, causeOf } from '../../src/console/web/pages/issue/advice'
import { CODE } from '../../src/domain/delivery/delivery'
import type { CarrierDescription } from '../../src/providers/description'

const DIRECTORY = `${import.meta.dir}/../../src/providers/descriptions`
const modules = await Promise.all(
  [...new Glob('*.ts').scanSync(DIRECTORY)].map((file) => import(`${DIRECTORY}/${file}`) as Promise<object>),
)
const descriptions: CarrierDescription[] = modules.flatMap((module) =>
  Object.values(module).filter((value) => typeof value === 'object' && value !== null && 'codes' in value),
)
const codesOf = (meaning: string) =>
  descriptions.flatMap(({ codes }) =>
    Object.entries(codes).flatMap(([code, [means, explanation]]) =>
      means === meaning ? [[code, explanation] as const] : [],
    ),
  )

describe('a code of a carrier', () => {
  test('by which the phone has opted out says how to allow messages', () => {
    const codes = codesOf('stopped')
    expect(codes.length).toBeGreaterThan(10)
    for (const [code, explanation] of codes)
      expect([explanation, causeOf(code, explanation, true)]).toEqual([explanation, 'stopped'])
  })

  test('by which a messenger does not reach the phone says to take another way', () => {
    const codes = codesOf('absent')
    expect(codes.length).toBeGreaterThan(2)
    for (const [code, explanation] of codes)
      expect([explanation, causeOf(code, explanation, true)]).toEqual([explanation, 'absent'])
  })

  test('by which the account or the carrier is at fault never blames the customer', () => {
    const codes = codesOf('unfit')
    expect(codes.length).toBeGreaterThan(50)
    const blaming = codes.filter(([code, explanation]) => causeOf(code, explanation, true) !== 'ours')
    expect(blaming).toEqual([])
  })

  test.each([
    ['nobody has this number', 'badNumber'],
    ['the number is a landline', 'badNumber'],
    ['the phone was unreachable: switched off, or out of coverage', 'unreachable'],
    ['the carrier takes the message for spam', 'filtered'],
    ['the recipient blocks AlimTalk', 'absent'],
    [undefined, 'notDelivered'],
  ])('that means: %s', (explanation, advice) => expect(causeOf('X', explanation, false)).toBe(advice as never))
})

test('each code of the service has words of its own', () => {
  const advice = Object.values(CODE).map((code) => [code, causeOf(code, undefined, false)])
  expect(Object.fromEntries(advice)).toEqual({
    ...{ NO_PROVIDER: 'ours', PROVIDERS_UNHEALTHY: 'ours', MESSAGE_ERASED: 'erased' },
    ...{ CODE_NO_LONGER_ACTIVE: 'tooLate', EXPIRED_UNSENT: 'tooLate', INTERRUPTED: 'uncertain' },
  })
})

test('each state of an issue has words, in every language', () => {
  const story = { attempts: [], price: 1, billingStatus: 'debited', isAmbiguous: false, isMessageAlone: false }
  const told = new Set<string>()
  for (const verificationStatus of ['issued', 'verified', 'expired', 'max_attempts', 'replaced'])
    for (const deliveryStatus of ['queued', 'sent', 'delivered', 'failed'])
      for (const more of [{}, { isAmbiguous: true }, { isMessageAlone: true }, { billingStatus: 'reserved' }]) {
        const advice = adviceOf({ ...story, verificationStatus, deliveryStatus, ...more } as never)
        told.add(advice)
        for (const words of Object.values(adviceWords)) expect(words[advice]).toMatch(/\S{2}.*[.]$/)
      }
  for (const state of ['verified', 'wrongCodes', 'replaced', 'deliveredTooLate', 'expired', 'unknown', 'onTheWay'])
    expect(told).toContain(state)
})
