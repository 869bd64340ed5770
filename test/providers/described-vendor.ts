/** What the tests of described carriers do alike: a vendor's answers, codes and reports against its documentation. */
import { expect, test } from 'bun:test'
import type { ReportedMessage } from '../../src/ports/carrier'
import type { TransportResult } from '../../src/ports/network'
import type { SendVerdict } from '../../src/providers/answer'
import { describedType } from '../../src/providers/described'
import type { DescriptionFile } from '../../src/providers/description'
import { anOutbound, answered, connect, expectHarmless, WITHOUT_ANSWER } from './fake-vendor-twilio-aligo'
import { outcomeOf } from './vendor-answers'

export const REPORT_URL = 'https://otp.example.com/provider-reports/carrier'
export const REPORT_SECRET = 'a-report-secret-of-24-ch'

export function vendorOf(description: DescriptionFile, config: Record<string, unknown>) {
  const type = describedType(description)
  const connected = (changes: Parameters<typeof connect>[2] = {}) =>
    connect(type, config, { reportUrl: REPORT_URL, ...changes })
  return {
    type,
    connected,
    secrets: Object.entries(description.fields).flatMap(([name, field]) =>
      'secret' in field && field.secret && typeof config[name] === 'string' ? [config[name]] : [],
    ),
    /** The request that a message makes. */
    async request(changes: Parameters<typeof anOutbound>[0] = {}, dependencies: Parameters<typeof connect>[2] = {}) {
      const { vendor, provider } = connected(dependencies)
      await provider.send(anOutbound(changes))
      const { form: _, ...request } = vendor.only()
      return request
    },
    async outcome(answer: TransportResult, changes: Parameters<typeof anOutbound>[0] = {}) {
      const { vendor, provider } = connected()
      vendor.answer = answer
      return provider.send(anOutbound(changes))
    },
    /** What a report says: a body, or the query of a `GET`. */
    read(text: string | object, headers: Record<string, string> = {}, search = '', changes = {}) {
      const url = REPORT_URL + search
      const body = typeof text === 'string' ? text : JSON.stringify(text)
      const { provider } = connected(changes)
      return provider.readReports?.({
        url,
        headers: new Headers(headers),
        query: new URL(url).searchParams,
        text: body,
      })
    },
  }
}

type DescribedVendor = ReturnType<typeof vendorOf>

/** No vendor's answer may be taken for more than it says. */
export function checkSilence(vendor: DescribedVendor): void {
  test.each(WITHOUT_ANSWER)('%s', async (_, answer, expected) => {
    expect(await vendor.outcome(answer)).toEqual(expected)
  })

  test.each<[string, TransportResult]>([
    ['500', answered(500, 'oops')],
    ['502 of a proxy', answered(502, '<html>Bad Gateway</html>')],
    ['408', answered(408, '')],
    ['no JSON', answered(200, '<html>')],
    ['JSON of another kind', answered(200, '[1]')],
    ['JSON null', answered(200, 'null')],
    ['an empty object', answered(201, '{}')],
    ['nothing', answered(202, '')],
  ])('%s may have been taken', async (_, answer) => {
    const outcome = await vendor.outcome(answer)
    expect(outcome.kind).toBe('ambiguous')
    expect('code' in outcome && outcome.code).toStartWith('HTTP_')
    expectHarmless(outcome, vendor.secrets)
  })

  test.each([
    [429, 'later'],
    [401, 'unfit'],
    [302, 'elsewhere'],
  ])('%d without a code', async (status, retry) => {
    expect(await vendor.outcome(answered(status, ''))).toEqual({
      kind: 'refused',
      retry,
      code: `HTTP_${status}`,
    } as never)
  })
}

/** Each listed code, as the reader of the documentation understands it; `answer` is how the vendor says it. */
export function checkCodes(
  vendor: DescribedVendor,
  {
    ofReports = [],
    ...understood
  }: Partial<Record<SendVerdict | 'stopped' | 'ofReports', ReadonlyArray<string | number>>>,
  answer: (code: string | number) => TransportResult,
): void {
  const listed = Object.entries(understood) as Array<[SendVerdict | 'stopped', ReadonlyArray<string | number>]>
  const codes = listed.flatMap(([verdict, some]) => some.map((code) => [code, verdict] as const))
  test('each listed code is understood, and none beside', () => {
    const known = Object.keys(vendor.type.description?.codes ?? {}).filter((code) => !code.startsWith('HTTP_'))
    expect(known.toSorted()).toEqual([...codes.map(([code]) => code), ...ofReports].map(String).toSorted())
  })

  test.each(codes)('code %s: %s', async (code, verdict) => {
    const outcome = await vendor.outcome(answer(code))
    expect(outcome).toEqual(outcomeOf(verdict, String(code)))
    expectHarmless(outcome, vendor.secrets)
    expect(vendor.type.explain(String(code), {})).toMatch(/\w{3}/)
  })
}

export const reported = (
  id: string,
  status: ReportedMessage['status'],
  code?: string,
  more: Partial<ReportedMessage> = {},
): ReportedMessage[] => [{ messageId: id, status, code, ...more }]

export const TOKEN = `?token=${REPORT_SECRET}`

/** A report without the secret, or with another, is nobody's. */
export function checkToken(vendor: DescribedVendor, text: string | object, expected: ReportedMessage[]): void {
  test('reports by the secret in the URL', () => {
    expect(vendor.read(text, {}, TOKEN)).toEqual(expected)
    expect(vendor.read(text)).toBeUndefined()
    expect(vendor.read(text, {}, `${TOKEN}x`)).toBeUndefined()
  })
}

/** A look-up as the vendor documents it: the request, and the fact of each documented answer, if it is one. */
export function checkLookup(
  description: DescriptionFile,
  config: Record<string, unknown>,
  request: { url: string; authorization: string },
  answers: Array<[fact: string | undefined, answer: object]>,
): void {
  const lookup = Object.keys(description.lookup?.facts ?? {}).join(', ')
  test.each(answers)('a number that is %p', async (fact, answer) => {
    const { vendor, provider } = connect(describedType(description), { ...config, lookup })
    vendor.answer = answered(200, answer)
    const outcome = await provider.send(anOutbound())
    const [asked, ...sent] = vendor.requests
    expect(asked).toEqual({
      method: 'GET',
      url: request.url,
      headers: { accept: 'application/json', authorization: request.authorization },
      body: undefined,
      timeoutMs: 2_000,
    })
    expect(sent).toHaveLength(fact === undefined ? 1 : 0)
    if (fact !== undefined)
      expect(outcome).toEqual({ kind: 'refused', retry: 'never', code: `LOOKUP_${fact}`, absence: 'absent' })
  })
}
