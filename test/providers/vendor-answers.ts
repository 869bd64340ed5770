/** What tests of described vendors check alike. */
import { expect, test } from 'bun:test'
import type { SendOutcome } from '../../src/domain/delivery/delivery'
import type { OutboundMessage } from '../../src/domain/message/rendered-message'
import type { ReportCallback } from '../../src/ports/carrier'
import type { TransportResult } from '../../src/ports/network'
import type { SendVerdict } from '../../src/providers/answer'
import { describedType } from '../../src/providers/described'
import type { DescriptionFile } from '../../src/providers/description'
import { anOutbound, answered, connect, expectHarmless, WITHOUT_ANSWER } from './fake-vendor-twilio-aligo'

/** By the reader of the vendor's documentation, not by the table under test. */
export type CodesByVerdict = Record<SendVerdict, string[]> & { stopped?: string[] }

/** A recipient who has opted out is remembered. */
export function outcomeOf(verdict: SendVerdict | 'stopped', code: string): SendOutcome {
  if (verdict === 'ambiguous') return { kind: 'ambiguous', code }
  return verdict === 'stopped'
    ? { kind: 'refused', retry: 'never', code, absence: 'stopped' }
    : { kind: 'refused', retry: verdict, code }
}

export interface VendorUnderTest {
  file: DescriptionFile
  config: Record<string, unknown>
  message?: Partial<OutboundMessage>
}

export function outcomesOf({ file, config, message }: VendorUnderTest) {
  const type = describedType(file)
  return async (result: TransportResult) => {
    const { vendor, provider } = connect(type, config)
    vendor.answer = result
    const outcome = await provider.send(anOutbound(message))
    expect(vendor.requests).toHaveLength(1)
    expectHarmless(
      outcome,
      Object.values(config).filter((value) => typeof value === 'string' && value.length > 8) as string[],
    )
    if (outcome.kind !== 'accepted') expect(type.explain(outcome.code ?? '', config)).toMatch(/\w{3}/)
    return outcome
  }
}

/** Silence, what cannot be read, servers that fail, and every code of the documentation. */
export function testsAnswers(
  vendor: VendorUnderTest,
  codes: CodesByVerdict,
  errorOf: (code: string) => TransportResult,
  /** Refused before anything is sent, or only reported. */
  others: readonly string[] = [],
) {
  const send = outcomesOf(vendor)
  const listed = Object.entries(codes) as Array<[SendVerdict | 'stopped', string[]]>

  test.each(WITHOUT_ANSWER)('%s', async (_, result, expected) => {
    expect(await send(result)).toEqual(expected)
  })

  test.each(listed.flatMap(([verdict, some]) => some.map((code) => [code, verdict] as const)))(
    'code %s: %s',
    async (code, verdict) => {
      expect(await send(errorOf(code))).toEqual(outcomeOf(verdict, code))
    },
  )

  test('every listed code is one of these', () => {
    const known = Object.keys(vendor.file.codes ?? {}).filter((code) => !code.startsWith('HTTP_'))
    expect([...others, ...Object.values(codes).flat()].sort()).toEqual(known.sort())
  })

  test.each<[number, unknown]>([
    [200, ''],
    [200, 'null'],
    [200, '<html>OK</html>'],
    [202, '{"id'],
    [408, ''],
    [500, ''],
    [502, '<html>bad gateway</html>'],
    [503, {}],
  ])('HTTP %d %j is ambiguous', async (status, body) => {
    expect(await send(answered(status, body))).toMatchObject({ kind: 'ambiguous' })
  })

  test.each<[number, SendVerdict]>([
    [401, 'unfit'],
    [429, 'later'],
    [404, 'elsewhere'],
  ])('HTTP %d without a code: %s', async (status, verdict) => {
    expect(await send(answered(status, ''))).toMatchObject({ kind: 'refused', retry: verdict })
  })
}

export const REPORT_SECRET = 'report-secret-of-16'
export const REPORT_URL = 'https://otp.example.com/provider-reports/carrier'

export function reportsOf({ file, config }: VendorUnderTest) {
  const { provider } = connect(describedType(file), config, { reportUrl: REPORT_URL })
  return (text: string, token: string | undefined = REPORT_SECRET, headers: Record<string, string> = {}) => {
    const url = token === undefined ? REPORT_URL : `${REPORT_URL}?token=${token}`
    const callback: ReportCallback = { url, headers: new Headers(headers), query: new URL(url).searchParams, text }
    return provider.readReports?.(callback)
  }
}
