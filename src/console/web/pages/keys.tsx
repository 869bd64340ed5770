/** The keys of an app, those of the mode that is looked at. */
import { Button, Modal, Switch } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
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
import { useAppScope, useScope } from '../scope'
import { useMay } from '../session'
import { AllowKey } from './keys/allow-key'
import { CreateKey } from './keys/create-key'
import { type Key, KeyTable } from './keys/key-table'
import { NewKeyShown, type ShownKey } from './keys/new-key'
import { RotateKey } from './keys/rotate-key'
import { keyWords } from './keys/words'

/** What stands in front of the page: at most one of these. */
type Open = { kind: 'create' } | { kind: 'allow' | 'rotate'; key: Key } | { kind: 'shown'; made: ShownKey }

const LOOK_AGAIN_MS = 5_000

export default function Keys() {
  const say = useWords(keyWords)
  const common = useWords(frameWords)
  const may = useMay()('keys')
  const { appId, mode } = useAppScope()
  const { choose } = useScope()
  const [open, setOpen] = useState<Open>()
  const [showsEnded, setShowsEnded] = useState(false)
  const query = useQuery(api.keys.list.queryOptions({ input: { appId }, refetchInterval: LOOK_AGAIN_MS }))
  const ofMode = query.data?.keys.filter((key) => key.mode === mode)
  const rows = ofMode?.filter(({ state }) => showsEnded || state === 'active')
  const close = () => setOpen(undefined)
  const show = (made: ShownKey) => {
    if (made.mode !== mode) choose({ mode: made.mode })
    setOpen({ kind: 'shown', made })
  }

  const revoke = (key: Key) =>
    confirmByName({
      title: say.revokeTitle(key.shown),
      name: key.shown.slice(-4),
      consequence: say.revokeMeans,
      action: say.revoke,
      async run() {
        await client.keys.revoke({ keyId: key.keyId })
        await queries.invalidateQueries({ queryKey: api.keys.key() })
        tellDone(say.wasRevoked(key.shown))
      },
    })

  const titleOf = (open: Open) => {
    if (open.kind === 'allow') return say.allowOf(open.key.shown)
    if (open.kind === 'rotate') return say.rotateOf(open.key.shown)
    return open.kind === 'shown' ? say.made : say.create
  }
  const createButton = may && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen({ kind: 'create' })}>
      {say.create}
    </Button>
  )
  return (
    <>
      <PageHeader title={common.pages.keys} about={say.about}>
        {createButton}
      </PageHeader>
      {ofMode?.some(({ state }) => state !== 'active') && (
        <Switch
          mb="sm"
          size="sm"
          label={say.ended}
          checked={showsEnded}
          onChange={(event) => setShowsEnded(event.currentTarget.checked)}
        />
      )}
      <KeyTable
        {...fromList(rows, query)}
        label={say.list(common[mode])}
        actions={
          may
            ? {
                onAllow: (key) => setOpen({ kind: 'allow', key }),
                onRotate: (key) => setOpen({ kind: 'rotate', key }),
                onRevoke: revoke,
              }
            : undefined
        }
        empty={
          <EmptyState
            icon={IconKey}
            title={mode === 'test' ? say.emptyTest : say.emptyLive}
            next={may ? (mode === 'test' ? say.emptyTestNext : say.emptyLiveNext) : say.emptyViewer}
          >
            {createButton}
          </EmptyState>
        }
      />
      <Modal
        opened={open !== undefined}
        onClose={close}
        size="lg"
        title={open && titleOf(open)}
        closeButtonProps={{ 'aria-label': common.close }}
        // A key that can be seen once is not lost by a click beside it.
        closeOnClickOutside={open?.kind !== 'shown'}
        closeOnEscape={open?.kind !== 'shown'}
        withCloseButton={open?.kind !== 'shown'}
      >
        {open?.kind === 'create' && <CreateKey mode={mode} onCreated={show} onCancel={close} />}
        {open?.kind === 'allow' && <AllowKey of={open.key} onDone={close} />}
        {open?.kind === 'rotate' && <RotateKey of={open.key} onDone={show} onCancel={close} />}
        {open?.kind === 'shown' && <NewKeyShown made={open.made} onDone={close} />}
      </Modal>
    </>
  )
}
