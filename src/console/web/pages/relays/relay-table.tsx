/** The relays of an app in one mode. */
import { Group, Stack, Text } from '@mantine/core'
import { useWords } from '../../i18n/words'
import { CopyButton } from '../../parts/copy'
import { DataTable, type DataTableProps } from '../../parts/data-table'
import { RowAction } from '../../parts/row-action'
import { Mark } from '../../parts/status'
import { AsWritten } from '../../parts/text'
import { Time } from '../../parts/time'
import { Legs } from '../providers/legs-field'
import { relayWords, type ShownRelay } from './words'

type RelayTableProps = Pick<DataTableProps<ShownRelay>, 'rows' | 'failure' | 'onRetry' | 'label' | 'empty'> & {
  /** Missing if the role does not allow it. */
  actions?:
    | { onTest(relay: ShownRelay): void; onChangeSecret(relay: ShownRelay): void; onRemove(relay: ShownRelay): void }
    | undefined
}

export function RelayTable({ actions, ...table }: RelayTableProps) {
  const say = useWords(relayWords)
  return (
    <DataTable
      {...table}
      keyOf={({ relayId }) => relayId}
      file={{ name: 'relays' }}
      columns={[
        {
          key: 'name',
          header: say.name,
          cell: ({ name, source, isReady }) => (
            <Stack gap={2} align="flex-start">
              <AsWritten size="sm" fw={500}>
                {name}
              </AsWritten>
              <Text size="xs" c="dimmed">
                {say.sources[source]}
              </Text>
              {!isReady && <Mark color="orange">{say.needsSecret}</Mark>}
            </Stack>
          ),
        },
        {
          key: 'url',
          header: say.url,
          cell: ({ url }) => (
            <Group gap={4} wrap="nowrap">
              <AsWritten size="xs" ff="monospace">
                {url}
              </AsWritten>
              <CopyButton value={url} what={say.url} />
            </Group>
          ),
        },
        {
          key: 'legs',
          header: say.legs,
          cell: ({ legs, templateId }) => (
            <>
              <Text size="sm">{legs ? <Legs of={legs} /> : say.appLegs}</Text>
              {templateId !== undefined && (
                <AsWritten size="xs" c="dimmed">
                  {templateId}
                </AsWritten>
              )}
            </>
          ),
        },
        {
          key: 'created',
          header: say.created,
          isMinor: true,
          cell: ({ createdAt }) => <Time at={createdAt} relative />,
        },
        actions && {
          key: 'actions',
          header: say.actions,
          cell: (relay) => (
            <Group gap="xs">
              {relay.mode === 'test' && (
                <RowAction name={say.testOf(relay.name)} onClick={() => actions.onTest(relay)}>
                  {say.test}
                </RowAction>
              )}
              <RowAction name={say.changeSecretOf(relay.name)} onClick={() => actions.onChangeSecret(relay)}>
                {say.changeSecret}
              </RowAction>
              <RowAction isDestructive name={say.removeOf(relay.name)} onClick={() => actions.onRemove(relay)}>
                {say.remove}
              </RowAction>
            </Group>
          ),
        },
      ]}
    />
  )
}
