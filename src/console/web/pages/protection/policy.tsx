/** The policy of an app: each rule, what it says now, and its change. */
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { growsWithKept } from '../../../../abuse/rules/cap'
import { api } from '../../api'
import { useFormats } from '../../i18n/format'
import { countryName } from '../../i18n/names'
import { capWords, kindWords } from '../../i18n/protection'
import { useLanguage, useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { Section } from '../../parts/section'
import { Mark } from '../../parts/status'
import { type ShownApp, useAppScope, useApps, useDefaultRegion } from '../../scope'
import { useMay } from '../../session'
import { VENDORS } from './challenge'
import { openChallenge } from './change-challenge'
import { openPolicy } from './change-policy'
import { CloseOthers, OpenAgain } from './close-others'
import { Phones } from './phones'
import { useCountryList } from './place'
import { PlaceHeader } from './place-header'
import type { PolicySubject } from './policy-fields'
import { protectionWords } from './words'

const KINDS = ['pk', 'sk'] as const

export default function PolicyPlace() {
  const say = useWords(protectionWords)
  const { appId } = useAppScope()
  const app = useApps().find((one) => one.appId === appId)
  return (
    <>
      <PlaceHeader about={say.aboutPolicy} />
      {app && (
        <Stack gap="lg">
          <Policy app={app} />
          <Phones app={app} />
        </Stack>
      )}
    </>
  )
}

function Policy({ app }: { app: ShownApp }) {
  const say = useWords(protectionWords)
  const may = useMay()
  const { protection } = app
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Rule app={app} subject="countries" mode={protection.countries}>
        <Countries app={app} />
      </Rule>
      <Rule app={app} subject="conversion" mode={protection.conversion}>
        <Line>{say.conversionAbout}</Line>
      </Rule>
      <Rule app={app} subject="capping" mode={protection.capping}>
        <Caps caps={protection.caps} />
      </Rule>
      <Rule app={app} subject="failures" mode={protection.failures}>
        <Line>{say.failuresAbout}</Line>
        {protection.failures === 'block' && <Line>{say.locks[protection.lockMs === null ? 'operator' : 'day']}</Line>}
      </Rule>
      <Rule app={app} subject="numberTypes" mode={protection.numberTypes}>
        <Line>{say.numberTypesAbout}</Line>
      </Rule>
      <Rule app={app} subject="resend">
        <Resend resendMs={protection.resendMs} />
      </Rule>
      <Rule app={app} subject="trusted">
        <Trusted trusted={protection.trusted} />
      </Rule>
      {may('protection') && <ChallengeRule app={app} />}
    </SimpleGrid>
  )
}

type RuleMode = ShownApp['protection']['countries']
const COLORS: Record<RuleMode, string> = { off: 'gray', watch: 'yellow', block: 'indigo' }

interface RuleProps {
  app: ShownApp
  subject: PolicySubject
  mode?: RuleMode
  children: ReactNode
}

function Rule({ app, subject, mode, children }: RuleProps) {
  const say = useWords(protectionWords)
  const name = say.subjects[subject]
  return (
    <Section
      title={name}
      actions={
        <Group gap="xs">
          {mode && <Mark color={COLORS[mode]}>{say.modes[mode]}</Mark>}
          <ChangeButton name={name} onClick={() => openPolicy(app, subject, say.changeTitle(name))} />
        </Group>
      }
    >
      <Stack gap={2}>{children}</Stack>
    </Section>
  )
}

function ChangeButton({ name, onClick }: { name: string; onClick(): void }) {
  const say = useWords(protectionWords)
  const may = useMay()
  if (!may('protection')) return null
  return (
    <Button size="compact-xs" variant="default" aria-label={say.changeOf(name)} onClick={onClick}>
      {say.change}
    </Button>
  )
}

function ChallengeRule({ app }: { app: ShownApp }) {
  const say = useWords(protectionWords)
  const { appId } = app
  const { data, error } = useQuery(api.apps.challenge.queryOptions({ input: { appId } }))
  const name = say.subjects.challenge
  return (
    <Section
      title={name}
      actions={
        data && <ChangeButton name={name} onClick={() => openChallenge(appId, data.challenge, say.changeTitle(name))} />
      }
    >
      {error && <ProblemNote failure={error} />}
      {data && <Line>{data.challenge ? VENDORS[data.challenge.vendor] : say.noChallenge}</Line>}
    </Section>
  )
}

const Line = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="dimmed">
    {children}
  </Text>
)

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

function Caps({ caps }: Pick<ShownApp['protection'], 'caps'>) {
  const say = useWords(protectionWords)
  const kinds = useWords(kindWords)
  const words = useWords(capWords)
  const { number } = useFormats()
  if (caps.length === 0) return <Line>{say.noCaps}</Line>
  return caps.map((cap) => {
    const { kind, per, of, every, max } = cap
    return (
      <Line key={`${kind}/${per}/${of}/${every}`}>
        {words.sentence(kinds[kind], number(max), words.of[of], words.per[per], words.every[every])}
        {growsWithKept(cap) && say.grows}
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
