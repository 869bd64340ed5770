/** `GET /reports/usage`: sums of usage for finance's tools, outside of `/v1`, by report tokens. Decisions: "Usage". */
import { z } from 'zod'
import { type AdminToken, assertScope } from '../domain/access/admin-token'
import { REPORT_GROUPS, type ReportGroup } from '../domain/operations/usage-report'
import { BYTE_ORDER_MARK, csv } from '../domain/shared/csv'
import { forbidden, invalid, Refusal } from '../domain/shared/error'
import { refusalOf } from '../domain/shared/validation'
import { MINUTE_MS } from '../domain/shared/value'
import type { Clock } from '../ports/clock'
import type { Node } from '../ports/node'
import type { Store } from '../ports/store'
import { takenToken } from '../usecases/administer/admin-tokens'
import { MOST_ROWS, type ReportPage, type ReportQuery, readReport } from '../usecases/read-report'
import { Json } from './json'

export interface UsageReportDependencies {
  store: Store
  clock: Clock
  node: Pick<Node, 'limits'>
}

const REQUESTS_PER_MIN = 60

/** Throws a `Refusal`. */
export async function answerUsageReport(
  deps: UsageReportDependencies,
  request: Request,
  url: URL,
  clientIp: string,
): Promise<Response | Json> {
  if (request.method !== 'GET') throw new Refusal('not_found', 'No such path or method')
  const token = await authenticated(deps, request.headers, clientIp)
  await deps.node.limits.acquire([
    {
      limit: 'perKey',
      policy: 'platform',
      subject: `admin:${token.tokenId}`,
      max: REQUESTS_PER_MIN,
      windowMs: MINUTE_MS,
    },
  ])
  const { format, ...asked } = queryOf(url.searchParams)
  const query = { ...asked, appIds: appsOf(token, asked.appIds) }
  if (format === 'json') return new Json(200, await readReport(deps, query))
  return csvAnswer(await readReport(deps, { ...query, after: undefined, limit: MOST_ROWS }), query.groupBy)
}

async function authenticated(deps: UsageReportDependencies, headers: Headers, clientIp: string): Promise<AdminToken> {
  const token = await takenToken(deps, headers.get('authorization'), clientIp)
  if (!token)
    throw new Refusal('unauthorized', 'The token is missing, malformed, revoked, expired, or not for this network')
  assertScope(token.scopes, 'usage', 'read')
  return token
}

/** Throws `forbidden`. */
function appsOf({ appIds: own }: AdminToken, asked: readonly string[] | undefined): readonly string[] | undefined {
  if (own === undefined || asked === undefined) return asked ?? own
  if (asked.every((appId) => own.includes(appId))) return asked
  throw forbidden('app_not_yours', 'The token is for some apps only, and this is not one of them')
}

const GROUPS = REPORT_GROUPS.map((name) => name as string)
const LONGEST_CURSOR = 4_000

const parameters = z.strictObject({
  ...{ from: z.string(), to: z.string(), timeZone: z.string().default('UTC') },
  groupBy: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter(Boolean)),
  app: z.array(z.string()).max(100).optional(),
  mode: z.enum(['live', 'test']).default('live'),
  format: z.enum(['json', 'csv']).default('json'),
  after: z.string().max(LONGEST_CURSOR).optional(),
  limit: z.coerce.number().int().min(1).max(1_000).default(1_000),
})

/** Throws `invalid`. */
function queryOf(given: URLSearchParams): ReportQuery & { format: 'json' | 'csv' } {
  const names = [...new Set(given.keys())]
  for (const name of names)
    if (name !== 'app' && given.getAll(name).length > 1) throw invalid(name, 'duplicate_field', 'must be given once')
  const input = Object.fromEntries(names.map((name) => [name, name === 'app' ? given.getAll(name) : given.get(name)]))
  const parsed = parameters.safeParse(input)
  if (!parsed.success) throw refusalOf(parsed.error.issues, input)
  const { app: appIds, groupBy, ...query } = parsed.data
  const unknown = groupBy.find((name) => !GROUPS.includes(name))
  if (unknown !== undefined)
    throw invalid('groupBy', 'not_a_choice', `must be some of ${GROUPS.join(', ')}`, { choices: GROUPS })
  return { ...query, appIds, groupBy: groupBy as ReportGroup[] }
}

const COUNTS = ['issued', 'sent', 'delivered', 'failed', 'verified', 'spent', 'messages', 'unpriced'] as const
/** Rows that are written in one turn of the event loop. */
const ROWS_AT_ONCE = 500

/** A column for each currency. */
function csvAnswer({ rows, total }: ReportPage, groupBy: readonly ReportGroup[]): Response {
  const currencies = total.cost.map(({ currency }) => currency)
  const headers = [...groupBy, ...COUNTS, ...currencies.map((currency) => `cost_${currency}`)]
  let written = 0
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(BYTE_ORDER_MARK + csv([headers]))
    },
    async pull(controller) {
      const part = rows.slice(written, written + ROWS_AT_ONCE)
      written += ROWS_AT_ONCE
      if (part.length === 0) return controller.close()
      controller.enqueue(
        csv(
          part.map((row) => [
            ...groupBy.map((group) => row[group]),
            ...COUNTS.map((name) => row[name]),
            ...currencies.map((currency) => row.cost.find((cost) => cost.currency === currency)?.amount),
          ]),
        ),
      )
    },
  }).pipeThrough(new TextEncoderStream())
  return new Response(body, { headers: { 'content-type': 'text/csv; charset=utf-8', 'cache-control': 'no-store' } })
}
