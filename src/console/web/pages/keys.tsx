/** API keys of an app in the current mode. */
import { Button, Group, Modal, NativeSelect, Switch, Text } from '@mantine/core'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, client, queries } from '../api'
import { frameWords } from '../i18n/frame'
import { inWords, useWords } from '../i18n/words'
import { safetyNet } from '../live'
import { confirmByName } from '../parts/confirm-by-name'
import { fromList } from '../parts/data-table'
import { EmptyState } from '../parts/empty-state'
import { Form, useServerForm } from '../parts/form'
import { PageHeader } from '../parts/page-header'
import { tellDone } from '../parts/tell'
import { useAppScope, useScope } from '../scope'
import { useMay } from '../session'
import { AllowancesField } from './keys/allowances'
import { CreateKey } from './keys/create-key'
import { type Key, KeyTable } from './keys/key-table'
import { NewKeyShown, type ShownKey } from './keys/new-key'
import { keyWords } from './keys/words'

/** The open dialog; at most one. */
type Open = { kind: 'create' } | { kind: 'allow' | 'rotate'; key: Key } | { kind: 'shown'; made: ShownKey }

export default function Keys() {
  const say = useWords(keyWords)
  const common = useWords(frameWords)
  const may = useMay()('keys')
  const { appId, mode } = useAppScope()
  const { choose } = useScope()
  const [open, setOpen] = useState<Open>()
  const [showsEnded, setShowsEnded] = useState(false)
  const [onlyMine, setOnlyMine] = useState(false)
  const query = useQuery(api.keys.list.queryOptions({ input: { appId }, refetchInterval: safetyNet }))
  const ofMode = query.data?.keys.filter((key) => key.mode === mode)
  const ofState = ofMode?.filter(({ state }) => showsEnded || state === 'active')
  const rows = ofState?.filter(({ creator }) => !onlyMine || creator.isMine)
  const hasOthers = ofMode?.some(({ creator }) => !creator.isMine)
  const hasEnded = ofMode?.some(({ state }) => state !== 'active')
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
      {(hasOthers || hasEnded) && (
        <Group gap="lg" mb="sm">
          {hasOthers && (
            <Switch
              size="sm"
              label={say.mine}
              checked={onlyMine}
              onChange={(event) => setOnlyMine(event.currentTarget.checked)}
            />
          )}
          {hasEnded && (
            <Switch
              size="sm"
              label={say.ended}
              checked={showsEnded}
              onChange={(event) => setShowsEnded(event.currentTarget.checked)}
            />
          )}
        </Group>
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
          onlyMine && ofState?.length ? (
            <EmptyState icon={IconKey} title={say.noneMine} next={say.noneMineNext}>
              <Button variant="default" onClick={() => setOnlyMine(false)}>
                {say.showAll}
              </Button>
            </EmptyState>
          ) : (
            <EmptyState
              icon={IconKey}
              title={mode === 'test' ? say.emptyTest : say.emptyLive}
              next={may ? (mode === 'test' ? say.emptyTestNext : say.emptyLiveNext) : say.emptyViewer}
            >
              {createButton}
            </EmptyState>
          )
        }
      />
      <Modal
        opened={open !== undefined}
        onClose={close}
        size="lg"
        title={open && titleOf(open)}
        closeButtonProps={{ 'aria-label': common.close }}
        // A click outside must not close a key that is shown once.
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

const words = inWords({
  en: {
    about: 'Creates a new key with the same rights. The old key stays valid for the time you choose here.',
    overlap: 'The old key stays valid for',
    hours: (hours: number) => (hours === 0 ? 'Not at all: it has leaked' : hours === 1 ? '1 hour' : `${hours} hours`),
    days: (days: number) => `${days} days`,
  },
  ko: {
    about: '같은 권한의 새 키를 만듭니다. 이전 키는 아래에서 고른 시간 동안 계속 사용할 수 있습니다.',
    overlap: '이전 키의 남은 사용 시간',
    hours: (hours) => (hours === 0 ? '즉시 중단(유출된 경우)' : `${hours}시간`),
    days: (days) => `${days}일`,
  },
})

const OVERLAPS = [0, 1, 24, 72, 168]

/** Replaces a key. The old key stays valid for a while, for a change without downtime. */
function RotateKey({ of, onDone, onCancel }: { of: Key; onDone(made: ShownKey): void; onCancel(): void }) {
  const say = useWords(words)
  const known = useWords(keyWords)
  const form = useServerForm({
    initialValues: { hours: '24' },
    send: ({ hours }) => client.keys.rotate({ keyId: of.keyId, overlapHours: Number(hours) }),
    onDone({ key, previousWorksUntil }) {
      queries.invalidateQueries({ queryKey: api.keys.key() })
      onDone({ ...of, key, previousWorksUntil })
    },
  })
  return (
    <Form form={form} action={known.rotate} onCancel={onCancel}>
      <Text size="sm">{say.about}</Text>
      <NativeSelect
        data-autofocus
        label={say.overlap}
        {...form.plainField('hours')}
        data={OVERLAPS.map((overlap) => ({
          value: String(overlap),
          label: overlap > 24 ? say.days(overlap / 24) : say.hours(overlap),
        }))}
      />
    </Form>
  )
}

const allowKeyWords = inWords({
  en: { save: 'Save', saved: (key: string) => `The rights of ${key} are saved and apply from now on.` },
  ko: { save: '저장', saved: (key) => `${key} 키의 권한을 저장했습니다. 지금부터 적용됩니다.` },
})

/** Changes the extra rights of a live browser key. */
function AllowKey({ of, onDone }: { of: Key; onDone(): void }) {
  const say = useWords(allowKeyWords)
  const form = useServerForm({
    initialValues: { allows: of.allows },
    send: ({ allows }) => client.keys.allow({ keyId: of.keyId, allows }),
    async onDone() {
      await queries.invalidateQueries({ queryKey: api.keys.key() })
      tellDone(say.saved(of.shown))
      onDone()
    },
  })
  return (
    <Form form={form} action={say.save} onCancel={onDone}>
      <AllowancesField {...form.plainField('allows')} />
    </Form>
  )
}
