import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { fingerprintText, type ResolvedRequest } from '../../src/domain/fingerprint'

const SEED = { seed: 20_260_301, numRuns: 500 }
const map = fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true })
const request: fc.Arbitrary<ResolvedRequest> = fc.record({
  phone: fc.string(),
  purpose: fc.string(),
  channel: fc.constantFrom('sms' as const, 'alimtalk' as const),
  templateId: fc.string(),
  templateVariables: map,
  from: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  messageType: fc.constantFrom('SMS' as const, 'LMS' as const, undefined),
  smsFallback: fc.boolean(),
  cost: fc.option(fc.integer({ min: 1, max: 100_000 }), { nil: undefined }),
  metadata: map,
  expiresInSec: fc.integer({ min: 30, max: 600 }),
  maxAttempts: fc.integer({ min: 1, max: 10 }),
})

const reversed = (entries: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(entries).reverse())
/** What the fingerprint is said to leave out. */
const meaning = (one: ResolvedRequest) => ({ ...one, smsFallback: one.channel === 'sms' ? true : one.smsFallback })

describe('the fingerprint of a request', () => {
  test('does not depend on the order of keys', () => {
    fc.assert(
      fc.property(request, (one) => {
        const other = { ...one, metadata: reversed(one.metadata), templateVariables: reversed(one.templateVariables) }
        expect(fingerprintText(other)).toBe(fingerprintText(one))
      }),
      SEED,
    )
  })

  test('is the same for two requests exactly when they mean the same', () => {
    fc.assert(
      fc.property(
        request,
        request,
        fc.subarray(
          Object.keys({
            phone: 0,
            purpose: 0,
            channel: 0,
            templateId: 0,
            from: 0,
            cost: 0,
            metadata: 0,
            templateVariables: 0,
            messageType: 0,
            smsFallback: 0,
            expiresInSec: 0,
            maxAttempts: 0,
          }),
        ),
        (one, two, taken) => {
          const mixed = {
            ...one,
            ...Object.fromEntries(taken.map((field) => [field, two[field as keyof ResolvedRequest]])),
          } as ResolvedRequest
          expect(fingerprintText(mixed) === fingerprintText(one)).toBe(Bun.deepEquals(meaning(mixed), meaning(one)))
        },
      ),
      SEED,
    )
  })

  test('cannot be forged by moving text from one field to the next', () => {
    fc.assert(
      fc.property(request, fc.string({ minLength: 1 }), (one, text) => {
        const left = { ...one, phone: one.phone + text }
        const right = { ...one, purpose: text + one.purpose }
        expect(fingerprintText(left)).not.toBe(fingerprintText(right))
      }),
      SEED,
    )
  })
})
