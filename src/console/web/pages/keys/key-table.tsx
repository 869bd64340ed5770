/** The keys of an app in one mode. */
import { Code, Group, Stack, Text, Tooltip } from '@mantine/core'
import { useState } from 'react'
import type { client } from '../../api'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import { DataTable, type DataTableProps } from '../../parts/data-table'
import { RowAction } from '../../parts/row-action'
import { Mark } from '../../parts/status'
import { Time } from '../../parts/time'
import { allowanceWords } from './allowances'
import { keyWords, scopeWords } from './words'

export type Key = Awaited<ReturnType<typeof client.keys.list>>['keys'][number]

const STATES = { active: 'green', expired: 'gray', revoked: 'red' } as const

type KeyTableProps = Pick<DataTableProps<Key>, 'rows' | 'failure' | 'onRetry' | 'label' | 'empty'> & {
  /** Missing if the role does not allow it. */
  actions?: { onAllow(key: Key): void; onRotate(key: Key): void; onRevoke(key: Key): void } | undefined
}

/** The columns by which rows can be sorted. */
const ORDERS = {
  key: (one: Key, other: Key) => (one.name ?? one.shown).localeCompare(other.name ?? other.shown),
  lastUsed: (one: Key, other: Key) => (one.lastUsedAt ?? 0) - (other.lastUsedAt ?? 0),
  created: (one: Key, other: Key) => one.createdAt - other.createdAt,
}

export function KeyTable({ actions, rows, ...table }: KeyTableProps) {
  const say = useWords(keyWords)
  const [order, setOrder] = useState<{ by: keyof typeof ORDERS; isAscending: boolean }>({
    by: 'created',
    isAscending: false,
  })
  const sortedBy = (by: keyof typeof ORDERS) => ({
    isAscending: order.by === by ? order.isAscending : undefined,
    onToggle: () => setOrder({ by, isAscending: order.by === by ? !order.isAscending : by === 'key' }),
  })
  const sorted = rows?.toSorted((one, other) => ORDERS[order.by](one, other) * (order.isAscending ? 1 : -1))
  return (
    <DataTable
      {...table}
      rows={sorted}
      keyOf={({ keyId }) => keyId}
      file={{ name: 'keys' }}
      columns={[
        {
          key: 'key',
          header: say.key,
          sort: sortedBy('key'),
          cell: (key) => (
            <Stack gap={2} align="flex-start">
              {key.name !== undefined && (
                <Text size="sm" fw={500} maw={240}>
                  {key.name}
                </Text>
              )}
              <Code data-unbroken>{key.shown}</Code>
              <Text size="xs" c="dimmed">
                {say.kinds[key.kind]}
              </Text>
            </Stack>
          ),
        },
        { key: 'rights', header: say.rights, cell: (key) => <Rights of={key} /> },
        { key: 'state', header: say.state, cell: (key) => <State of={key} /> },
        {
          key: 'lastUsed',
          header: say.lastUsed,
          sort: sortedBy('lastUsed'),
          cell: ({ lastUsedAt }) =>
            lastUsedAt === undefined ? <Text size="sm">{say.notUsed}</Text> : <Time at={lastUsedAt} relative />,
        },
        {
          key: 'created',
          header: say.created,
          sort: sortedBy('created'),
          cell: ({ createdAt, creator }) => (
            <Stack gap={2}>
              <Time at={createdAt} relative />
              <Text size="xs" c="dimmed">
                {say.by(creator.isCommandLine ? say.commandLine : (creator.name ?? say.gone), creator.isMine)}
              </Text>
            </Stack>
          ),
        },
        actions && {
          key: 'actions',
          header: say.actions,
          cell: (key) =>
            key.state === 'active' && (
              <Group gap="xs">
                {key.kind === 'pk' && key.mode === 'live' && (
                  <RowAction name={say.allowOf(key.shown)} onClick={() => actions.onAllow(key)}>
                    {say.allow}
                  </RowAction>
                )}
                <RowAction name={say.rotateOf(key.shown)} onClick={() => actions.onRotate(key)}>
                  {say.rotate}
                </RowAction>
                <RowAction isDestructive name={say.revokeOf(key.shown)} onClick={() => actions.onRevoke(key)}>
                  {say.revoke}
                </RowAction>
              </Group>
            ),
        },
      ]}
    />
  )
}

function Rights({ of }: { of: Key }) {
  const say = useWords(keyWords)
  const meaning = useWords(scopeWords)
  const { what } = useWords(allowanceWords)
  const formats = useFormats()
  const places = [...of.allowedOrigins, ...of.allowedCidrs]
  const limits = Object.entries(of.limits) as [keyof typeof say.limits, number][]
  return (
    <Stack gap={4}>
      <Group gap={4}>
        {of.scopes.map((scope) => (
          <Tooltip key={scope} label={scope}>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the scope's name is there for keyboards too */}
            <span tabIndex={0}>
              <Mark color="gray">{meaning[scope as keyof typeof meaning] ?? scope}</Mark>
            </span>
          </Tooltip>
        ))}
      </Group>
      {of.isOpen && (
        <Group gap={4}>
          {of.allows.map((allowance) => (
            <Tooltip key={allowance} label={what[allowance].risk} multiline w={280}>
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what that means is there for keyboards too */}
              <span tabIndex={0}>
                <Mark color="orange">{what[allowance].may}</Mark>
              </span>
            </Tooltip>
          ))}
        </Group>
      )}
      {places.length > 0 && (
        <Text size="xs" c="dimmed">
          {say.onlyFrom} {places.join(', ')}
        </Text>
      )}
      {limits.map(([name, max]) => (
        <Text key={name} size="xs" c="dimmed">
          {say.limits[name]}: {formats.number(max)}
        </Text>
      ))}
    </Stack>
  )
}

function State({ of: { state, expiresAt, revokedAt } }: { of: Key }) {
  const say = useWords(keyWords)
  return (
    <Stack gap={2} align="flex-start">
      <Mark color={STATES[state]}>{say.states[state]}</Mark>
      {revokedAt !== undefined ? (
        <Text size="xs" c="dimmed">
          <Time at={revokedAt} relative />
        </Text>
      ) : (
        expiresAt !== undefined && (
          <Text size="xs" c="dimmed" data-unbroken>
            {state === 'active' && `${say.expires} `}
            <Time at={expiresAt} relative />
          </Text>
        )
      )}
    </Stack>
  )
}
