/** Where notices are told beside the console: a list, a form, and a test. */
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconPlus, IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { confirmByName } from '../../parts/confirm-by-name'
import { SecretOnce } from '../../parts/copy'
import { DataTable, type DataTableProps } from '../../parts/data-table'
import { EmptyState } from '../../parts/empty-state'
import { RowAction } from '../../parts/row-action'
import { Section } from '../../parts/section'
import { tellDone, tellFailure, tellProblem } from '../../parts/tell'
import { AsWritten } from '../../parts/text'
import { type AddedWay, AddWay } from './add-way'
import { noticeWords, type ShownWay } from './words'

export function Ways(table: Pick<DataTableProps<ShownWay>, 'rows' | 'failure' | 'onRetry'>) {
  const say = useWords(noticeWords)
  const common = useWords(frameWords)
  const [open, setOpen] = useState<'form' | AddedWay>()
  const close = () => setOpen(undefined)
  const secret = typeof open === 'object' ? open.secret : undefined
  const test = useMutation(
    api.notices.testWay.mutationOptions({
      onError: tellProblem,
    }),
  )
  const sendTest = ({ wayId, name }: ShownWay) =>
    test.mutate(
      { wayId },
      {
        onSuccess: ({ error }) =>
          error === undefined ? tellDone(say.taken(name)) : tellFailure(say.notTaken(name, error)),
      },
    )
  const remove = ({ wayId, name }: ShownWay) =>
    confirmByName({
      title: say.removeOf(name),
      name,
      consequence: say.removeMeans,
      action: say.remove,
      async run() {
        await client.notices.removeWay({ wayId })
        await queries.invalidateQueries({ queryKey: api.notices.key() })
        tellDone(say.removed(name))
      },
    })
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen('form')}>
      {say.add}
    </Button>
  )
  return (
    <Section title={say.ways} about={say.waysAbout} actions={table.rows?.length !== 0 && addButton}>
      <DataTable
        {...table}
        label={say.waysList}
        keyOf={({ wayId }) => wayId}
        columns={[
          {
            key: 'name',
            header: say.name,
            cell: ({ name, channel }) => (
              <Stack gap={2}>
                <AsWritten size="sm" fw={500}>
                  {name}
                </AsWritten>
                <Text size="xs" c="dimmed" style={{ whiteSpace: 'nowrap' }}>
                  {say.channels[channel]}
                </Text>
              </Stack>
            ),
          },
          { key: 'target', header: say.target, cell: ({ target }) => <AsWritten size="sm">{target}</AsWritten> },
          {
            key: 'actions',
            header: say.actions,
            cell: (way) => (
              <Group gap={4} justify="flex-end" wrap="nowrap">
                <RowAction
                  name={say.testOf(way.name)}
                  isBusy={test.isPending && test.variables.wayId === way.wayId}
                  onClick={() => sendTest(way)}
                >
                  {say.test}
                </RowAction>
                <RowAction isDestructive name={say.removeOf(way.name)} onClick={() => remove(way)}>
                  {say.remove}
                </RowAction>
              </Group>
            ),
          },
        ]}
        empty={
          <EmptyState icon={IconSend} title={say.noWays} next={say.noWaysNext}>
            {addButton}
          </EmptyState>
        }
      />
      <Modal
        opened={open !== undefined}
        onClose={close}
        title={secret === undefined ? say.add : say.newWay}
        closeButtonProps={{ 'aria-label': common.close }}
        // A click outside must not close a secret that is shown once.
        closeOnClickOutside={secret === undefined}
        closeOnEscape={secret === undefined}
        withCloseButton={secret === undefined}
      >
        {open === 'form' && (
          <AddWay onAdded={(added) => setOpen(added.secret === undefined ? undefined : added)} onCancel={close} />
        )}
        {secret !== undefined && <SecretOnce secret={secret} label={say.secret} onDone={close} />}
      </Modal>
    </Section>
  )
}
