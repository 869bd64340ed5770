/** Columns of the list of issues, and the choice of them. */
import { Button, Menu, Text } from '@mantine/core'
import { IconTable } from '@tabler/icons-react'
import type { PropsWithChildren } from 'react'
import type { client } from '../../api'
import { useFormats } from '../../i18n/format'
import { countryName, statusWords } from '../../i18n/names'
import { useLanguage, useWords } from '../../i18n/words'
import { kept } from '../../kept'
import type { TableColumn } from '../../parts/data-table'
import { DENSITIES, type Density, setDensity, useDensity } from '../../parts/density'
import { DeliveryMark, VerificationMark } from '../../parts/status'
import { AsWritten, FilterLink, ShortId } from '../../parts/text'
import { Time } from '../../parts/time'
import type { IssueFilters } from '../search-params'
import { issueWords } from './words'

export type ListedIssue = Awaited<ReturnType<typeof client.issues.list>>['rows'][number]

/** The purpose is always there: it is the link of its row. */
const CHOSEN = ['id', 'verification', 'delivery', 'code', 'channel', 'country', 'wrong', 'price', 'issued'] as const
type ChosenColumn = (typeof CHOSEN)[number]
const BY_DEFAULT = 'verification,delivery,code,channel,country,issued'

const choice = kept('issue-columns')

function useChosenColumns(): readonly string[] {
  return (choice.use() ?? BY_DEFAULT).split(',')
}

interface Filtering {
  filters: IssueFilters
  onChange(filters: IssueFilters): void
}

export function useIssueColumns({ filters, onChange }: Filtering): TableColumn<ListedIssue>[] {
  const say = useWords(issueWords)
  const names = useWords(statusWords)
  const formats = useFormats()
  const language = useLanguage()
  const chosen = useChosenColumns()
  const isOldestFirst = filters.order === 'oldest'
  /** Every state is a link to its filter. */
  const narrowed = (filter: IssueFilters) => ({ to: '/issues', search: { ...filters, ...filter } }) as const
  const columns: Record<ChosenColumn, Omit<TableColumn<ListedIssue>, 'key'>> = {
    id: {
      header: say.id,
      isMinor: true,
      cell: ({ issueId }) => (
        <Text span inherit c="dimmed" ff="monospace">
          <ShortId id={issueId} />
        </Text>
      ),
    },
    verification: {
      header: say.verification,
      cell: (issue) => (
        <FilterLink {...narrowed({ status: issue.verificationStatus })}>
          <VerificationMark of={issue} />
        </FilterLink>
      ),
    },
    delivery: {
      header: say.delivery,
      cell: ({ deliveryStatus, isAmbiguous }) => (
        <FilterLink {...narrowed({ delivery: deliveryStatus })}>
          <DeliveryMark status={deliveryStatus} isAmbiguous={isAmbiguous} />
        </FilterLink>
      ),
    },
    code: {
      header: say.code,
      cell: ({ outcomeCode }) =>
        outcomeCode !== undefined && (
          <FilterLink {...narrowed({ code: outcomeCode })}>
            <Wrapped>{outcomeCode}</Wrapped>
          </FilterLink>
        ),
    },
    channel: {
      header: say.channel,
      isUnbroken: true,
      cell: ({ leg }) => <FilterLink {...narrowed({ leg })}>{names.channels[leg]}</FilterLink>,
    },
    country: {
      header: say.country,
      cell: ({ country }) =>
        country !== undefined && (
          <FilterLink {...narrowed({ country })}>
            <span title={countryName(country, language)}>{country}</span>
          </FilterLink>
        ),
    },
    wrong: {
      header: say.wrong,
      isNumber: true,
      isMinor: true,
      cell: ({ attemptsUsed = 0 }) => formats.number(attemptsUsed),
    },
    price: { header: say.price, isNumber: true, isMinor: true, cell: ({ price }) => formats.number(price) },
    issued: {
      header: say.issued,
      isAtEnd: true,
      sort: {
        isAscending: isOldestFirst,
        onToggle: () => onChange({ ...filters, order: isOldestFirst ? undefined : 'oldest' }),
      },
      cell: ({ createdAt }) => <Time at={createdAt} relative />,
    },
  }
  return [
    { key: 'issue', header: say.issue, isHeading: true, cell: ({ purpose }) => <Wrapped>{purpose}</Wrapped> },
    ...CHOSEN.filter((key) => chosen.includes(key)).map((key) => ({ key, ...columns[key] })),
  ]
}

/** Wide enough that what is usual stands on one line. */
const Wrapped = ({ children }: PropsWithChildren) => (
  <AsWritten span inherit display="block" miw={100}>
    {children}
  </AsWritten>
)

export function TableMenu() {
  const say = useWords(issueWords)
  const density = useDensity()
  const chosen = useChosenColumns()
  const toggle = (column: ChosenColumn) =>
    choice.set(CHOSEN.filter((key) => (key === column ? !chosen.includes(key) : chosen.includes(key))).join())
  return (
    <Menu position="bottom-end" width={200} closeOnItemClick={false}>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconTable size={14} aria-hidden />}>
          {say.view}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{say.rows}</Menu.Label>
        <Menu.RadioGroup value={density} onChange={(chosen) => setDensity(chosen as Density)}>
          {DENSITIES.map((one) => (
            <Menu.RadioItem key={one} value={one}>
              {say.densities[one]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Label>{say.columns}</Menu.Label>
        {CHOSEN.map((column) => (
          <Menu.CheckboxItem key={column} checked={chosen.includes(column)} onChange={() => toggle(column)}>
            {say[column]}
          </Menu.CheckboxItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
