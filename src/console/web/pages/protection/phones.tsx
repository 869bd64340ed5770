/** Phones that wrong codes have locked. Numbers are not stored, so the one to unlock is typed. */
import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { useMutation } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { kindWords } from '../../i18n/protection'
import { useWords, wordsNow } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'
import { Section } from '../../parts/section'
import { tellDone } from '../../parts/tell'
import type { ShownApp } from '../../scope'
import { useMay } from '../../session'
import { type State, useList } from './place'
import { useProtectionState } from './state'
import { protectionWords } from './words'

type FoundPhone = Awaited<ReturnType<typeof client.protection.phone>>
type ShownStanding = FoundPhone['standings'][number]

export function Phones({ app }: { app: ShownApp }) {
  const say = useWords(protectionWords)
  const may = useMay()
  const { data: state, error } = useProtectionState()
  return (
    <>
      <Section title={say.heldNow} about={say.aboutPhones}>
        {error && <ProblemNote failure={error} />}
        {state && <Held app={app} held={state.held} />}
      </Section>
      {may('find') && (
        <Section title={say.openPhone}>
          <OpenPhone key={app.appId} app={app} />
        </Section>
      )}
    </>
  )
}

/** The same form in a dialog, for other pages. */
export function openPhone(app: ShownApp): void {
  const modalId = modals.open({
    title: wordsNow(protectionWords).openPhone,
    children: <OpenPhone app={app} onClose={() => modals.close(modalId)} />,
  })
}

function OpenPhone({ app, onClose }: { app: ShownApp; onClose?: () => void }) {
  const say = useWords(protectionWords)
  const { appId } = app
  const form = useServerForm({
    initialValues: { phoneNumber: '' },
    validate: { phoneNumber: (typed) => (typed.trim() === '' ? say.needsNumber : undefined) },
    // The result belongs to the number that was looked up.
    onValuesChange: () => form.forget(),
    send: ({ phoneNumber }) => {
      unlock.reset()
      return client.protection.phone({ appId, phoneNumber })
    },
  })
  const unlock = useMutation({
    mutationFn: (kinds: Array<ShownStanding['kind']>) => client.protection.unlock({ appId, ...form.values, kinds }),
    onSuccess() {
      tellDone(say.phoneOpened(form.answer?.phoneNumber ?? form.values.phoneNumber))
      form.forget()
      form.reset()
      onClose?.()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.protection.key() }),
  })
  return (
    <Form
      form={{ ...form, failure: form.failure ?? unlock.error }}
      action={say.look}
      {...(onClose && { onCancel: onClose })}
    >
      <TextInput
        label={say.phoneNumber}
        maw={360}
        description={say.openPhoneAbout}
        type="tel"
        required
        autoComplete="off"
        maxLength={64}
        {...form.field('phoneNumber')}
      />
      {form.answer && (
        <Standings
          found={form.answer}
          lockMs={app.protection.lockMs}
          isBusy={unlock.isPending}
          onOpen={(kinds) => unlock.mutate(kinds)}
        />
      )}
    </Form>
  )
}

interface StandingsProps {
  found: FoundPhone
  lockMs: ShownApp['protection']['lockMs']
  isBusy: boolean
  onOpen(kinds: Array<ShownStanding['kind']>): void
}

function Standings({ found: { phoneNumber, standings }, lockMs, isBusy, onOpen }: StandingsProps) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const { time } = useFormats()
  const waiting = standings.filter(({ rule }) => rule)
  const sentence = ({ rule, until = 0 }: ShownStanding) => {
    if (!rule) return say.notWaiting
    return rule === 'failures_locked' && lockMs === null ? say.lockedForGood : say.standing[rule](time(until))
  }
  if (waiting.length === 0)
    return (
      <Text size="sm" role="status">
        {say.neither(phoneNumber)}
      </Text>
    )
  return (
    <Stack gap="xs" role="status">
      <Text size="sm" fw={500}>
        {phoneNumber}
      </Text>
      {standings.map((standing) => (
        <Text key={standing.kind} size="sm">
          {say.standingOf(kinds[standing.kind], sentence(standing))}
        </Text>
      ))}
      <Group gap="xs">
        {waiting.map(({ kind }) => (
          <Button key={kind} size="compact-sm" variant="default" disabled={isBusy} onClick={() => onOpen([kind])}>
            {say.openItFor(kinds[kind])}
          </Button>
        ))}
        {waiting.length > 1 && (
          <Button
            size="compact-sm"
            variant="default"
            disabled={isBusy}
            onClick={() => onOpen(waiting.map(({ kind }) => kind))}
          >
            {say.openItForBoth}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

const KINDS = ['pk', 'sk'] as const
const FAILURES = ['failures_locked', 'failures_paused', 'failures_seldom'] as const

function Held({ app: { protection }, held }: { app: ShownApp; held: State['held'] }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const { number } = useFormats()
  const list = useList()
  const lines = KINDS.map((kind) => {
    const waiting = FAILURES.filter((rule) => held[kind][rule] > 0)
    const counts = waiting.map((rule) => say.heldPhones[rule](held[kind][rule], number(held[kind][rule])))
    return { kind, counts }
  }).filter(({ counts }) => counts.length > 0)
  return (
    <>
      {lines.map(({ kind, counts }) => (
        <Text key={kind} size="sm">
          {say.held(kinds[kind], list(counts))}
        </Text>
      ))}
      {lines.length === 0 && <Text size="sm">{say.nobodyHeld}</Text>}
      {lines.length > 0 && protection.failures !== 'block' && <Text size="sm">{say.heldAnyway}</Text>}
      {!held.areAll && <Text size="sm">{say.moreHeld}</Text>}
      {protection.failures === 'block' && (
        <Text size="sm">{say.locks[protection.lockMs === null ? 'operator' : 'day']}</Text>
      )}
    </>
  )
}
