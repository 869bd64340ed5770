/** Keyset pagination and date ranges of every list. Specification: `GET /issues`, `GET /credit-ledger`. */
import { z } from 'zod'
import { because } from './reason'
import { type JsonSchema, published, text } from './value'

/** Page size: a number on RPC, decimal digits in a query string. */
const limit = published(
  z.preprocess(
    (value) => (typeof value === 'string' && /^[0-9]{1,9}$/.test(value) ? Number(value) : value),
    z.int().min(1).max(100).default(50),
  ),
  { type: 'integer', minimum: 1, maximum: 100, default: 50, description: 'Page size.', examples: [50] },
)

const cursor = text({
  min: 1,
  max: 512,
  description:
    '`nextCursor` of the previous page, unchanged; bound to this endpoint. Keep the same filters while paging.',
})

export const nextCursor = z
  .string()
  .meta({ description: 'Pass as `cursor` to read the next page; absent on the last page.', examples: ['AZnypHwe...'] })

const datetime = z.iso.datetime({ offset: true })

const LEAP_SECOND = /^(.+T\d\d:\d\d):60(\D.*)$/

/** RFC 3339 allows a leap second 60. Unix time has none, so it is read as the following second. */
function withoutLeapSecond(text: string): string {
  const [, minute, rest] = LEAP_SECOND.exec(text) ?? []
  const before = `${minute}:59${rest}`
  if (!datetime.safeParse(before).success) return text
  const at = new Date(before)
  const endsDay = at.toISOString().slice(11, 19) === '23:59:59'
  return endsDay ? new Date(at.getTime() + 1_000).toISOString() : text
}

/** An RFC 3339 date-time with an offset, letters in either case, parsed to Unix milliseconds. */
function instant(description: string) {
  const moment = datetime.transform((value) => Date.parse(value))
  return published(z.string().toUpperCase().overwrite(withoutLeapSecond).pipe(moment), {
    type: 'string',
    format: 'date-time',
    description,
  } as JsonSchema)
}

const createdFrom = instant('Inclusive lower bound on `createdAt`.')
const createdTo = instant('Exclusive upper bound on `createdAt`; must be later than `createdFrom`.')

interface DateRange {
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

/** `createdTo` must be later than `createdFrom` when both are given. */
const rangeIsForward = ({ createdFrom, createdTo }: DateRange) =>
  createdFrom === undefined || createdTo === undefined || createdFrom < createdTo

const reversed = { path: ['createdTo'], ...because('date_range_reversed', 'must be later than createdFrom') }

/** The query of a list: page, date range, and the filters of its own. */
export const listQuery = <Filters extends z.ZodRawShape>(filters: Filters) =>
  z
    .strictObject({
      limit,
      cursor: cursor.optional(),
      createdFrom: createdFrom.optional(),
      createdTo: createdTo.optional(),
      ...filters,
    })
    .refine((query) => rangeIsForward(query as DateRange), reversed)
