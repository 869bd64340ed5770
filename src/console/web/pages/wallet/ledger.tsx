/** Every entry of the wallet, with the balance it left. */
import { Button, Group, NativeSelect, Title } from '@mantine/core'
import { IconDownload, IconWallet } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api, client, paging } from '../../api'
import { timesOf } from '../../days'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import { safetyNetWhileShort } from '../../live'
import { DataTable, fromPages } from '../../parts/data-table'
import { DayRangeInputs } from '../../parts/day-range'
import { EmptyState } from '../../parts/empty-state'
import { Mark } from '../../parts/status'
import { tellDone, tellProblem } from '../../parts/tell'
import { AsWritten, RowLink, ShortId } from '../../parts/text'
import { Time } from '../../parts/time'
import { saveCsv } from '../../save-file'
import { type ScopeSearch, useAppScope } from '../../scope'
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
  const ledger = useInfiniteQuery(
    api.wallet.ledger.infiniteOptions({
      input: (after: string | undefined) => ({ appId, after, entryType: type, ...timesOf({ from, to }) }),
      ...paging,
      refetchInterval: safetyNetWhileShort,
      placeholderData: keepPreviousData,
    }),
  )
  const exporting = useMutation({
    mutationFn: () => exportLedger(appId, appName, filters),
    onSuccess: (count) => tellDone(say.csvDone(count)),
    onError: tellProblem,
  })
  const narrow = (next: LedgerFilters) =>
    navigate({ search: ({ app, mode }: ScopeSearch) => ({ app, mode, ...next }), replace: true, resetScroll: false })
  const signed = (amount: number) => (amount > 0 ? `+${formats.number(amount)}` : formats.number(amount))
  return (
    <>
      <Group justify="space-between" mb="sm">
        <Title order={2}>{say.ledger}</Title>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => exporting.mutate()}
          loading={exporting.isPending}
        >
          {say.csv}
        </Button>
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

/** Exports every entry that matches the filters and returns their number. */
async function exportLedger(appId: string, appName: string, { type, from, to }: LedgerFilters): Promise<number> {
  const input = { appId, limit: PAGE, entryType: type, ...timesOf({ from, to }) }
  const rows: (string | number | undefined)[][] = []
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await client.wallet.ledger({ ...input, after })
    for (const entry of page.rows) {
      const { seq, createdAt, entryType, amountDelta, balanceAfter, issueId, reference } = entry
      rows.push([seq, new Date(createdAt).toISOString(), entryType, amountDelta, balanceAfter, issueId, reference])
    }
    after = page.next
  }
  const header = ['seq', 'createdAt', 'entryType', 'amountDelta', 'balanceAfter', 'issueId', 'reference']
  const days = [from, to].filter(Boolean).map((day) => `-${day}`)
  saveCsv(`ledger-${appName.replace(/[^\p{L}\p{N}_-]+/gu, '-')}${days.join('')}.csv`, [header, ...rows])
  return rows.length
}
