/** Every entry of the wallet, with the balance it left. */
import { Button, Group, NativeSelect, Title } from '@mantine/core'
import { IconWallet } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { isoAt } from '../../../../domain/shared/time-zone'
import { api, client, paging } from '../../api'
import { timesOf } from '../../days'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import { safetyNetWhileShort } from '../../live'
import { DataTable, fromPages } from '../../parts/data-table'
import { DayRangeInputs } from '../../parts/day-range'
import { EmptyState } from '../../parts/empty-state'
import { allPages, ExportButtons, type ExportColumn } from '../../parts/export-buttons'
import { Mark } from '../../parts/status'
import { AsWritten, RowLink, ShortId } from '../../parts/text'
import { Time } from '../../parts/time'
import { type ScopeSearch, useAppScope } from '../../scope'
import { timeZone } from '../../time-zone'
import { ENTRY_TYPES, type LedgerFilters } from '../search-params'
import { walletWords } from './words'

const COLORS = { credit: 'green', debit: 'gray', refund: 'blue', clawback: 'red' } as const

/** `firstStep` is shown while the ledger is empty. */
export function Ledger({ firstStep }: { firstStep: ReactNode }) {
  const say = useWords(walletWords)
  const formats = useFormats()
  const { appId, appName } = useAppScope()
  const { type, from, to } = useSearch({ from: '/inside/wallet' })
  const navigate = useNavigate({ from: '/wallet' })
  const filters: LedgerFilters = { type, from, to }
  const isFiltered = Object.values(filters).some((value) => value !== undefined)
  const asked = { appId, entryType: type, ...timesOf({ from, to }) }
  const ledger = useInfiniteQuery(
    api.wallet.ledger.infiniteOptions({
      input: (after: string | undefined) => ({ ...asked, after }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
      placeholderData: keepPreviousData,
    }),
  )
  const narrow = (next: LedgerFilters) =>
    navigate({ search: ({ app, mode }: ScopeSearch) => ({ app, mode, ...next }), replace: true, resetScroll: false })
  const signed = (amount: number) => (amount > 0 ? `+${formats.number(amount)}` : formats.number(amount))
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{say.ledger}</Title>
        <ExportButtons
          what={say.ledger}
          fileName={['ledger', appName, from, to].filter(Boolean).join('-')}
          columns={EXPORTED}
          pages={() => allPages((after) => client.wallet.ledger({ ...asked, limit: PAGE, after }))}
        />
      </Group>
      <Group align="flex-end" gap="sm" mb="md" component="search">
        <NativeSelect
          label={say.type}
          value={type ?? ''}
          onChange={({ currentTarget: { value } }) =>
            narrow({ ...filters, type: ENTRY_TYPES.find((known) => known === value) })
          }
          data={[{ value: '', label: say.any }, ...ENTRY_TYPES.map((value) => ({ value, label: say.types[value] }))]}
        />
        <DayRangeInputs range={filters} onChange={(range) => narrow({ ...filters, ...range })} />
        {isFiltered && (
          <Button variant="subtle" onClick={() => narrow({})}>
            {say.clear}
          </Button>
        )}
      </Group>
      <DataTable
        {...fromPages(ledger)}
        label={say.ledgerOf(appName)}
        keyOf={({ seq }) => String(seq)}
        columns={[
          { key: 'at', header: say.at, cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            key: 'type',
            header: say.type,
            cell: ({ entryType }) => <Mark color={COLORS[entryType]}>{say.types[entryType]}</Mark>,
          },
          { key: 'change', header: say.change, isNumber: true, cell: ({ amountDelta }) => signed(amountDelta) },
          {
            key: 'after',
            header: say.after,
            isNumber: true,
            cell: ({ balanceAfter }) => formats.number(balanceAfter),
          },
          {
            key: 'for',
            header: say.for,
            cell: ({ issueId, reference }) =>
              issueId !== undefined ? (
                <RowLink to="/issues/$issueId" params={{ issueId }}>
                  <ShortId id={issueId} />
                </RowLink>
              ) : (
                <AsWritten size="sm">{reference}</AsWritten>
              ),
          },
        ]}
        empty={
          isFiltered ? (
            <EmptyState icon={IconWallet} title={say.nothingFits} next={say.nothingFitsNext} />
          ) : (
            <EmptyState icon={IconWallet} title={say.nothing} next={say.nothingNext}>
              {firstStep}
            </EmptyState>
          )
        }
      />
    </>
  )
}

const PAGE = 200

type Entry = Awaited<ReturnType<typeof client.wallet.ledger>>['rows'][number]

/** Their names are those of the interface. */
const EXPORTED: readonly ExportColumn<Entry>[] = [
  { header: 'seq', value: ({ seq }) => seq },
  { header: 'createdAt', value: ({ createdAt }) => isoAt(createdAt, timeZone()) },
  ...(['entryType', 'amountDelta', 'balanceAfter', 'issueId', 'reference'] as const).map((header) => ({
    header,
    value: (entry: Entry) => entry[header],
  })),
]
