/** Relays of an app in the current mode, and what came through them. */
import { Button, Modal, Stack } from '@mantine/core'
import { IconPlus, IconTransferIn } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { confirmByName } from '../parts/confirm-by-name'
import { fromList } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { PageHeader } from '../parts/page-header'
import { tellDone } from '../parts/tell'
import { useAppScope } from '../scope'
import { useMay } from '../session'
import { ChangeSecret } from './relays/change-secret'
import { CreateRelay } from './relays/create-relay'
import { RelayMessages } from './relays/messages'
import { NewRelayShown } from './relays/new-relay'
import { RelayTable } from './relays/relay-table'
import { SendTest } from './relays/send-test'
import { TwilioSettings } from './relays/twilio'
import { type CreatedRelay, relayWords, type ShownRelay } from './relays/words'

/** The open dialog; at most one. */
type OpenDialog =
  | { kind: 'create' }
  | { kind: 'test' | 'secret'; relay: ShownRelay }
  | { kind: 'shown'; title: string; made: CreatedRelay }

export default function Relays() {
  const say = useWords(relayWords)
  const common = useWords(frameWords)
  const may = useMay()('keys')
  const { appId, mode } = useAppScope()
  const [open, setOpen] = useState<OpenDialog>()
  const query = useQuery(api.relays.list.queryOptions({ input: { appId } }))
  const rows = query.data?.relays.filter((relay) => relay.mode === mode)
  const close = () => setOpen(undefined)

  const remove = ({ relayId, name }: ShownRelay) =>
    confirmByName({
      title: say.removeTitle(name),
      name,
      consequence: say.removeMeans,
      action: say.remove,
      async run() {
        await client.relays.remove({ relayId })
        await queries.invalidateQueries({ queryKey: api.relays.key() })
        tellDone(say.removed(name))
      },
    })

  const titleOf = (open: OpenDialog) => {
    if (open.kind === 'create') return say.create
    if (open.kind === 'shown') return open.title
    return open.kind === 'test' ? say.testOf(open.relay.name) : say.changeSecretOf(open.relay.name)
  }
  const createButton = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
      {say.create}
    </Button>
  )
  return (
    <>
      <PageHeader title={common.pages.relays} about={say.about}>
        {createButton}
      </PageHeader>
      <Stack gap="xl">
        <RelayTable
          {...fromList(rows, query)}
          label={say.list(common[mode])}
          actions={
            may
              ? {
                  onTest: (relay) => setOpen({ kind: 'test', relay }),
                  onChangeSecret: (relay) => setOpen({ kind: 'secret', relay }),
                  onRemove: remove,
                }
              : undefined
          }
          empty={
            <EmptyState
              icon={IconTransferIn}
              title={mode === 'test' ? say.emptyTest : say.emptyLive}
              next={may ? (mode === 'test' ? say.emptyTestNext : say.emptyLiveNext) : say.emptyViewer}
            >
              {createButton}
            </EmptyState>
          }
        />
        <RelayMessages />
        <TwilioSettings />
      </Stack>
      <Modal
        opened={open !== undefined}
        onClose={close}
        size="lg"
        title={open && titleOf(open)}
        closeButtonProps={{ 'aria-label': common.close }}
        // A click outside must not close a secret that is shown once.
        closeOnClickOutside={open?.kind !== 'shown'}
        closeOnEscape={open?.kind !== 'shown'}
        withCloseButton={open?.kind !== 'shown'}
      >
        {open?.kind === 'create' && (
          <CreateRelay onCreated={(made) => setOpen({ kind: 'shown', title: say.made, made })} onCancel={close} />
        )}
        {open?.kind === 'secret' && (
          <ChangeSecret
            of={open.relay}
            onChanged={(made) => setOpen({ kind: 'shown', title: say.newSecret(made.name), made })}
            onCancel={close}
          />
        )}
        {open?.kind === 'test' && <SendTest by={open.relay} onClose={close} />}
        {open?.kind === 'shown' && <NewRelayShown made={open.made} onDone={close} />}
      </Modal>
    </>
  )
}
