/** Current rules: countries, caps, conversion, allow list and blocks. */
import { Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { startOf } from '../../../../abuse/rules/cap'
import { useFormats } from '../../i18n/format'
import { countryName } from '../../i18n/names'
import { capWords, kindWords } from '../../i18n/protection'
import { useLanguage, useWords } from '../../i18n/words'
import { Section } from '../../parts/section'
import { Mark } from '../../parts/status'
import { Time } from '../../parts/time'
import { type ShownApp, useDefaultRegion } from '../../scope'
import { useMay } from '../../session'
import { openAppSettings } from '../apps/settings'
import { UndoButton } from './block-button'
import { CloseOthers, OpenAgain } from './close-others'
import { OpenPhoneButton } from './open-phone'
import { type State, useCountryList, useIncidentPlaceNames, useList, usePlaceNames } from './place'
import { protectionWords } from './words'

const KINDS = ['pk', 'sk'] as const

/** `state` is missing while loading. */
export function Now({ app, state }: { app: ShownApp; state: State | undefined }) {
  const say = useWords(protectionWords)
  const may = useMay()
  const { protection } = app
  return (
    <Section
      title={say.now}
      actions={
        may('protection') && (
          <Button size="xs" variant="default" onClick={() => openAppSettings(app)}>
            {say.settings}
          </Button>
        )
      }
    >
      <SimpleGrid component="dl" cols={{ base: 1, lg: 2 }} spacing="lg">
        <Part
          name={say.conversion}
          mode={protection.conversion}
          {...(state && !state.learned.pk.isLearned && !state.learned.sk.isLearned && { isWatchedFirst: true })}
        >
          {state ? <Learning state={state} mayRefuse={protection.conversion === 'block'} /> : <Skeleton height={40} />}
        </Part>
        <Part name={say.countries} mode={protection.countries}>
          <Countries app={app} />
        </Part>
        <Part name={say.caps} mode={protection.capping}>
          <Caps protection={protection} isKnown={state?.learned.pk.isLearned ?? true} />
        </Part>
        <Part name={say.numberTypes} mode={protection.numberTypes}>
          <Line>{say.numberTypesAbout}</Line>
        </Part>
        <Part name={say.failures} mode={protection.failures}>
          {state ? <Held app={app} held={state.held} /> : <Skeleton height={40} />}
        </Part>
        <Part name={say.resend}>
          <Resend resendMs={protection.resendMs} />
        </Part>
        <Part name={say.trusted}>
          <Trusted trusted={protection.trusted} />
        </Part>
        <Part name={say.blocks}>{state ? <Blocks blocks={state.blocks} /> : <Skeleton height={20} />}</Part>
        {state && state.reopened.length > 0 && (
          <Part name={say.reopened}>
            <Reopened reopened={state.reopened} />
          </Part>
        )}
      </SimpleGrid>
    </Section>
  )
}

type RuleMode = ShownApp['protection']['countries']
const COLORS: Record<RuleMode, string> = { off: 'gray', watch: 'yellow', block: 'green' }

interface PartProps {
  name: string
  mode?: RuleMode
  /** The rule refuses nothing yet. */
  isWatchedFirst?: boolean
  children: ReactNode
}

function Part({ name, mode, isWatchedFirst = false, children }: PartProps) {
  const say = useWords(protectionWords)
  return (
    <div>
      <Group component="dt" gap="xs" mb={4}>
        <Text size="sm" fw={500}>
          {name}
        </Text>
        {mode &&
          (mode === 'block' && isWatchedFirst ? (
            <Mark color={COLORS.watch}>{say.watchedFirst}</Mark>
          ) : (
            <Mark color={COLORS[mode]}>{say.modes[mode]}</Mark>
          ))}
      </Group>
      <Stack component="dd" gap={2}>
        {children}
      </Stack>
    </div>
  )
}

const Line = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

function Learning({ state: { learned, needed }, mayRefuse }: { state: State; mayRefuse: boolean }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const { number } = useFormats()
  return (
    <>
      {KINDS.map((kind) => {
        const { verified, onDays, isLearned } = learned[kind]
        const counts = [
          ...[Math.min(verified, needed.verified), needed.verified],
          ...[Math.min(onDays, needed.onDays), needed.onDays],
        ]
        const [has = '', of = '', days = '', ofDays = ''] = counts.map(number)
        const sentence = isLearned ? say.learned(kinds[kind]) : say.learning(kinds[kind], has, of, days, ofDays)
        return <Line key={kind}>{sentence}</Line>
      })}
      {mayRefuse && !(learned.pk.isLearned && learned.sk.isLearned) && (
        <Line>{say.learningMeans(number(needed.ofDays))}</Line>
      )}
    </>
  )
}

function Countries({ app }: { app: ShownApp }) {
  const { region, protection } = app
  const say = useWords(protectionWords)
  const list = useCountryList()
  const home = useDefaultRegion()
  const { countries: mode, open, secretTo, closed } = protection
  return (
    <>
      <Line>{say.browserTo[mode](list([...new Set([region ?? home, ...open])]))}</Line>
      <Line>{secretTo.length > 0 ? say.secretTo(list(secretTo)) : say.secretAnywhere}</Line>
      {closed.length > 0 && <Line>{say.closedTo(list(closed))}</Line>}
      {secretTo.length > 0 ? <OpenAgain app={app} /> : <CloseOthers app={app} home={region ?? home} />}
    </>
  )
}

const FAILURES = ['failures_locked', 'failures_paused', 'failures_seldom'] as const

function Held({ app: { protection }, held }: { app: ShownApp; held: State['held'] }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const { number } = useFormats()
  const list = useList()
  const may = useMay()
  const lines = KINDS.map((kind) => {
    const waiting = FAILURES.filter((rule) => held[kind][rule] > 0)
    const counts = waiting.map((rule) => say.heldPhones[rule](held[kind][rule], number(held[kind][rule])))
    return { kind, counts }
  }).filter(({ counts }) => counts.length > 0)
  return (
    <>
      {lines.map(({ kind, counts }) => (
        <Line key={kind}>{say.held(kinds[kind], list(counts))}</Line>
      ))}
      {lines.length === 0 && <Line>{say.nobodyHeld}</Line>}
      {lines.length > 0 && protection.failures !== 'block' && <Line>{say.heldAnyway}</Line>}
      {!held.areAll && <Line>{say.moreHeld}</Line>}
      {protection.failures === 'block' && <Line>{say.locks[protection.lockMs === null ? 'operator' : 'day']}</Line>}
      {may('find') && (
        <Group mt={4}>
          <OpenPhoneButton />
        </Group>
      )}
    </>
  )
}

function Resend({ resendMs }: { resendMs: ShownApp['protection']['resendMs'] }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const { number } = useFormats()
  return KINDS.map((kind) => (
    <Line key={kind}>
      {resendMs[kind] === 0
        ? say.resendAtOnce(kinds[kind])
        : say.resendAfter(kinds[kind], number(resendMs[kind] / 1_000))}
    </Line>
  ))
}

interface CapsProps {
  protection: Pick<ShownApp['protection'], 'caps' | 'tolerance'>
  /** Baseline of browser keys. */
  isKnown: boolean
}

function Caps({ protection: { caps, tolerance }, isKnown }: CapsProps) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const words = useWords(capWords)
  const { number } = useFormats()
  if (caps.length === 0) return <Line>{say.noCaps}</Line>
  return caps.map((cap) => {
    const { kind, per, of, every, max } = cap
    const start = isKnown ? undefined : startOf(cap, tolerance)
    return (
      <Line key={`${kind}/${per}/${of}/${every}`}>
        {words.sentence(kinds[kind], number(max), words.of[of], words.per[per], words.every[every])}
        {start !== undefined && ` ${say.start(number(start))}`}
      </Line>
    )
  })
}

function Trusted({ trusted: { networks, countries, phones } }: { trusted: ShownApp['protection']['trusted'] }) {
  const say = useWords(protectionWords)
  const language = useLanguage()
  const { number } = useFormats()
  const all = [
    ...countries.map((country) => countryName(country, language)),
    ...networks,
    ...(phones > 0 ? [say.phones(phones, number(phones))] : []),
  ]
  return <Line>{all.length === 0 ? say.noBlocks : all.join(', ')}</Line>
}

function Blocks({ blocks }: { blocks: State['blocks'] }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const nameOf = usePlaceNames()
  if (blocks.length === 0) return <Line>{say.noBlocks}</Line>
  return (
    <Stack component="ul" gap="xs">
      {blocks.map((block) => (
        <Group component="li" key={`${block.country}/${block.prefix}/${block.kind}`} gap="xs">
          <Text size="sm">
            {nameOf(block)}{' '}
            <Text span c="dimmed">
              {block.kind && `(${kinds[block.kind]}) `}
              {say.until} <Time at={block.until} />
            </Text>
          </Text>
          <UndoButton block={block} />
        </Group>
      ))}
    </Stack>
  )
}

function Reopened({ reopened }: { reopened: State['reopened'] }) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const nameOf = useIncidentPlaceNames()
  return (
    <>
      <Stack component="ul" gap="xs">
        {reopened.map((place) => (
          <Text component="li" key={`${place.kind}/${place.country}`} size="sm">
            {nameOf(place)}{' '}
            <Text span c="dimmed">
              ({kinds[place.kind]}) {say.until} <Time at={place.until} />
            </Text>
          </Text>
        ))}
      </Stack>
      <Line>
        {say.reopenedMeans} {say.stillHolds}
      </Line>
    </>
  )
}
