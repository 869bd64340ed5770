/** Sums by the groups that are chosen, sorted by a column, and saved as a file. */
import { Chip, Group, Stack, Text } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { REPORT_GROUPS, type ReportGroup } from '../../../../domain/operations/usage-report'
import { api, client } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { channelWords, countryName } from '../../i18n/names'
import { useLanguage, useWords } from '../../i18n/words'
import { allPages, ExportButtons, type ExportColumn } from '../../parts/export-buttons'
import { ProblemNote } from '../../parts/problem-note'
import { Section } from '../../parts/section'
import { StackingTable, type TableColumn } from '../../parts/stacking-table'
import { type ShownMode, useApps } from '../../scope'
import type { UsageSearch } from '../search-params'
import { type ReportTableRow, type ReportTotal, share } from './rates'
import type { ReportPeriod } from './report-period'
import { usageWords } from './words'

interface UsageSumsProps {
  asked: { mode: ShownMode; timeZone: string; appId?: string }
  period: ReportPeriod
  search: UsageSearch
  total: ReportTotal
}

const COUNTS = ['issued', 'sent', 'delivered', 'failed', 'verified'] as const
/** Shares of what was issued; the file has the numbers. */
const RATES = ['sent', 'delivered', 'verified'] as const
const BUSIEST_FIRST = '-issued'

const groupsIn = ({ groups = 'app,country,carrier' }: UsageSearch): ReportGroup[] => {
  const named = groups.split(',')
  return REPORT_GROUPS.filter((group) => named.includes(group))
}

export function UsageSums({ asked, period, search, total }: UsageSumsProps) {
  const say = useWords(usageWords)
  const formats = useFormats()
  const navigate = useNavigate({ from: '/usage' })
  const groupBy = groupsIn(search)
  const sums = useQuery(
    api.usage.report.queryOptions({ input: { ...asked, ...period, groupBy }, placeholderData: keepPreviousData }),
  )
  const exported = useExportColumns(groupBy, total)
  const choose = (changes: UsageSearch) =>
    navigate({ search: (known: UsageSearch) => ({ ...known, ...changes }), replace: true, resetScroll: false })
  const sort = search.sort ?? BUSIEST_FIRST
  const columns = useColumns(groupBy, sort, (chosen) => choose({ sort: chosen }))
  return (
    <Section
      title={say.sums}
      actions={
        <ExportButtons
          what={say.sums}
          fileName={`usage-${period.from}-${period.to}`}
          columns={exported}
          pages={() => allPages((after) => client.usage.report({ ...asked, ...period, groupBy, after }))}
        />
      }
    >
      <Group gap={6} role="group" aria-label={say.group}>
        <Text size="sm" c="dimmed">
          {say.group}
        </Text>
        <Chip.Group
          multiple
          value={groupBy}
          onChange={(values) => choose({ groups: REPORT_GROUPS.filter((group) => values.includes(group)).join(',') })}
        >
          {REPORT_GROUPS.map((group) => (
            <Chip key={group} value={group} size="xs">
              {say.groups[group]}
            </Chip>
          ))}
        </Chip.Group>
      </Group>
      {sums.isError && <ProblemNote failure={sums.error} />}
      <Stack gap="xs">
        <StackingTable
          label={`${say.sums}: ${say.asTable}`}
          columns={columns}
          rows={sums.data && [...sorted(sums.data.rows, sort), ...(groupBy.length > 0 ? [total] : [])]}
          keyOf={(row: ReportTableRow) => JSON.stringify(groupBy.map((group) => row[group] ?? null))}
        />
        {sums.data?.next !== undefined && (
          <Text size="xs" c="dimmed">
            {say.firstRows(formats.number(sums.data.rows.length))}
          </Text>
        )}
      </Stack>
    </Section>
  )
}

const costOf = ({ cost }: ReportTableRow, currency: string) => cost.find((one) => one.currency === currency)?.amount

/** Costs are sorted by the first currency. */
function sortedBy(row: ReportTableRow, column: string): string | number {
  if (column === 'cost') return Number(row.cost[0]?.amount ?? -1)
  const rate = RATES.find((step) => step === column)
  if (rate) return share(row[rate], row.issued) ?? -1
  const value = row[column as keyof ReportTableRow]
  return typeof value === 'number' || typeof value === 'string' ? value : ''
}

function sorted(rows: readonly ReportTableRow[], sort: string): ReportTableRow[] {
  const [column, direction] = sort.startsWith('-') ? [sort.slice(1), -1] : [sort, 1]
  return rows.toSorted((a, b) => {
    const [one, other] = [sortedBy(a, column), sortedBy(b, column)]
    return one === other ? 0 : (one < other ? -1 : 1) * direction
  })
}

function useColumns(
  groupBy: readonly ReportGroup[],
  sort: string,
  onSort: (sort: string) => void,
): TableColumn<ReportTableRow>[] {
  const say = useWords(usageWords)
  const common = useWords(frameWords)
  const formats = useFormats()
  const nameOf = useGroupNames()
  const sortable = (key: string, isText: boolean) => ({
    isAscending: sort === key ? true : sort === `-${key}` ? false : undefined,
    onToggle: () => onSort(sort === key || (sort !== `-${key}` && !isText) ? `-${key}` : key),
  })
  const number = (key: string, header: string, cell: (row: ReportTableRow) => string): TableColumn<ReportTableRow> => ({
    ...{ key, header, cell, isNumber: true, isUnbroken: true },
    sort: sortable(key, false),
  })
  return [
    ...(groupBy.length === 0 ? [{ key: 'total', header: '', cell: () => say.total, isHeading: true }] : []),
    ...groupBy.map((group, place): TableColumn<ReportTableRow> => {
      const cell = (row: ReportTableRow) => {
        const value = row[group]
        const name = value === undefined ? (place === 0 ? say.total : '') : nameOf(group, value)
        return (
          <Text inherit truncate maw={110} title={name}>
            {name}
          </Text>
        )
      }
      return { key: group, header: say.groups[group], cell, isHeading: place === 0, sort: sortable(group, true) }
    }),
    number('issued', say.issued, ({ issued }) => formats.number(issued)),
    ...RATES.map((step) =>
      number(step, say[step], (row) => {
        const rate = share(row[step], row.issued)
        return rate === undefined ? common.none : formats.percent(rate)
      }),
    ),
    {
      ...number('cost', say.cost, () => ''),
      cell: ({ cost, unpriced }: ReportTableRow) => [
        ...cost.map(({ currency, amount }) => <div key={currency}>{formats.money(amount, currency)}</div>),
        ...(unpriced > 0 ? [<div key="none">{say.withoutPrice(formats.number(unpriced))}</div>] : []),
      ],
    },
  ]
}

/** Columns of the file: names as they are stored, and a number for each currency. */
function useExportColumns(groupBy: readonly ReportGroup[], total: ReportTotal): ExportColumn<ReportTableRow>[] {
  const say = useWords(usageWords)
  const apps = useApps()
  const nameOf = (appId: string | undefined) => apps.find((app) => app.appId === appId)?.name
  return [
    ...(groupBy.includes('app') ? [{ header: say.groups.app, value: ({ app }: ReportTableRow) => nameOf(app) }] : []),
    ...groupBy.map((group) => ({
      header: group === 'app' ? say.appId : say.groups[group],
      value: (row: ReportTableRow) => row[group],
    })),
    ...([...COUNTS, 'messages', 'unpriced', 'spent'] as const).map((count) => ({
      header: say[count],
      value: (row: ReportTableRow) => row[count],
    })),
    ...total.cost.map(({ currency }) => ({
      header: say.costIn(currency),
      value(row: ReportTableRow) {
        const cost = costOf(row, currency)
        return cost === undefined ? undefined : Number(cost)
      },
    })),
  ]
}

function useGroupNames(): (group: ReportGroup, name: string) => string {
  const say = useWords(usageWords)
  const channels = useWords(channelWords)
  const language = useLanguage()
  const apps = useApps()
  return (group, name) => {
    switch (group) {
      case 'app':
        return apps.find(({ appId }) => appId === name)?.name ?? say.removedApp(name)
      case 'hour':
        return `${name}:00`
      case 'country':
        return name === '' || name === 'ZZ' ? say.noCountry : countryName(name, language)
      case 'carrier':
        return name || say.noProvider
      case 'channel':
        return channels[name as keyof typeof channels] ?? name
      case 'purpose':
        // Names of relays begin with a space where they are counted.
        return name.startsWith(' ') ? say.relay(name.trim()) : name
      default:
        return name
    }
  }
}
