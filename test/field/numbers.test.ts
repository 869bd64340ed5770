/** How numbers of the field are read: `numbers.ts`; and that a page with a country and the API read one text as one number. */
import { expect, test } from 'bun:test'
import { formatTyped, internationalOf } from '../../client/screen/formats'
import { typedNumber, wholeNumber } from '../../client/screen/number'
import { numbers, regions, textableRecipient } from '../../src/domain/phone/phone'
import { NUMBERS } from './numbers'

function sentTo(typed: string, region: string): string | undefined {
  try {
    return textableRecipient(typed, { region, prefixes: [] }).to
  } catch {
    return undefined
  }
}

/** What a page sends that has this country chosen, once its field has rewritten what was pasted. */
function ofPage(pasted: string, country: string): string {
  return sent(typedNumber({ ...at(pasted), country, format: formatTyped, isDeletion: false }).value, country)
}

/** The same where it is typed, one character at a time. */
function ofTyping(typed: string, country: string): string {
  let value = ''
  for (const character of typed)
    value = typedNumber({ ...at(value + character), country, format: formatTyped, isDeletion: false }).value
  return sent(value, country)
}

const at = (value: string) => ({ value, caret: value.length })

const sent = (shown: string, country: string) =>
  internationalOf(shown, country) ?? wholeNumber(shown, numbers().getCountryCallingCode(country as 'KR')) ?? ''

test.each(NUMBERS.map((one) => [one.typed, one.region ?? 'KR', one] as const))(
  'the API and a page read %j in %s as one number',
  (typed, region, { to, isOfApi }) => {
    expect(sentTo(typed, region)).toBe(to)
    const page = sentTo(ofPage(typed, region), region)
    expect(page).toBe(isOfApi ? undefined : to)
    // No other phone comes of a number that is typed. A fraction is pasted only.
    if (!typed.endsWith('.0')) expect([undefined, to]).toContain(sentTo(ofTyping(typed, region), region))
  },
)

const EXAMPLES = ['+821012345678', '+819012345678', '+447400123456', '+14155552671', '+5491123456789', '+79031234567']

test.each(regions().map((region) => [region]))('no page with %s chosen names another phone than the API', (region) => {
  for (const to of EXAMPLES) {
    const digits = to.slice(1)
    for (const typed of [to, `00${digits}`, `00 ${digits}`, `011${digits}`, `0011${digits}`, digits]) {
      const [api, page] = [sentTo(typed, region), sentTo(ofPage(typed, region), region)]
      if (api !== undefined && page !== undefined) expect([typed, page]).toEqual([typed, api])
    }
  }
})
