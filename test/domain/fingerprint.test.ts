import { describe, expect, test } from 'bun:test'
import { fingerprintText, type ResolvedRequest } from '../../src/domain/verification/issue-request'
import fc from '../support/property'

const SEED = { seed: 20_260_301, numRuns: 500 }
/** Often of the same keys, so that values decide, or of the same values, so that keys do. */
const map = fc.dictionary(
  fc.oneof(fc.constantFrom('name', 'shop'), fc.string()),
  fc.oneof(fc.constantFrom('Ann', 'Kim'), fc.string()),
  { noNullPrototype: true, maxKeys: 3 },
)
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

const FIELDS = Object.keys(fc.sample(request, { numRuns: 1, seed: SEED.seed })[0] ?? {}) as (keyof ResolvedRequest)[]

const reversed = (entries: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(entries).reverse())
/** What the fingerprint is said to leave out: `smsFallback`, but where an AlimTalk has it switched off. */
const meaning = ({ smsFallback, ...one }: ResolvedRequest) => ({
  ...one,
  isWithoutFallback: one.channel === 'alimtalk' && !smsFallback,
})

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

  // One field at a time: among many that differ nobody would see one that is not looked at, or that should not be.
  test.each(FIELDS)('is the same for two requests that differ in %s exactly when they mean the same', (field) => {
    const seen = new Set<boolean>()
    fc.assert(
      fc.property(request, request, (one, two) => {
        const other = { ...one, [field]: two[field] }
        const isSame = Bun.deepEquals(meaning(other), meaning(one))
        if (!Bun.deepEquals(other, one)) seen.add(isSame)
        expect(fingerprintText(other) === fingerprintText(one)).toBe(isSame)
      }),
      SEED,
    )
    expect([...seen].toSorted()).toEqual(field === 'smsFallback' ? [false, true] : [false])
  })

  test('says of the fallback only that an AlimTalk goes without it', () => {
    fc.assert(
      fc.property(request, (one) => {
        const text = (channel: ResolvedRequest['channel'], smsFallback: boolean) =>
          fingerprintText({ ...one, channel, smsFallback })
        expect(text('sms', false)).toBe(text('sms', true))
        expect(text('alimtalk', false)).not.toBe(text('alimtalk', true))
      }),
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
