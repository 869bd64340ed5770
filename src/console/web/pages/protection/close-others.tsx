/** Restricts secret keys to the countries where codes were verified, and removes the restriction. */
import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, client, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import { tellDone, tellProblem } from '../../parts/tell'
import type { ShownApp } from '../../scope'
import { useMay } from '../../session'
import { codesOf, keysOf, openQuestion, Question, useCounts, useLately } from './ask'
import { useCountryList } from './place'
import { protectionWords } from './words'

/** The sums change hourly and are slow to compute. */
const LOOK_MS = 600_000

function useSecretTo(done: string) {
  return useMutation(
    api.apps.protect.mutationOptions({
      onSuccess: () => tellDone(done),
      onError: tellProblem,
      onSettled: () => queries.invalidateQueries({ queryKey: api.apps.key() }),
    }),
  )
}

export function CloseOthers({ app: { appId }, home }: { app: ShownApp; home: string }) {
  const say = useWords(protectionWords)
  const { number } = useFormats()
  const list = useCountryList()
  const may = useMay()
  const found = useQuery(api.protection.sentTo.queryOptions({ input: { appId }, staleTime: LOOK_MS }))
  const { days = 0, typed = [], untyped = [] } = found.data ?? {}
  const secretTo = [...new Set([home, ...typed])]
  if (typed.length === 0) return null
  const ask = () =>
    openQuestion(say.closeTitle, (onClose) => <CloseQuestion appId={appId} secretTo={secretTo} onClose={onClose} />)
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.typedIn(number(days), list(typed))} {untyped.length > 0 && say.untypedIn(list(untyped))}
      </Text>
      {may('protection') && (
        <Group mt={4}>
          <Button
            size="compact-xs"
            variant="light"
            color="red"
            aria-label={say.closeOthersOf(list(secretTo))}
            onClick={ask}
          >
            {say.closeOthers}
          </Button>
        </Group>
      )}
    </>
  )
}

const SECRET = ['sk'] as const
/** A longer list would hide the question. */
const MOST_NAMED = 5

interface CloseQuestionProps {
  appId: string
  secretTo: string[]
  onClose(): void
}

function CloseQuestion({ appId, secretTo, onClose }: CloseQuestionProps) {
  const say = useWords(protectionWords)
  const counts = useCounts()
  const list = useCountryList()
  const lately = useLately(appId)
  const isClosed = (country: string) => !secretTo.includes(country)
  const names = list(secretTo)
  const run = async () => {
    await client.apps.protect({ appId, protection: { secretTo } })
    queries.invalidateQueries({ queryKey: api.apps.key() })
    tellDone(say.closedOthers(names))
  }
  return (
    <Question lately={lately} action={say.closeOthers} run={run} onClose={onClose}>
      {(lately) => {
        const { codes } = lately
        const lost = codes.filter(({ kind, country, sent }) => kind === 'sk' && sent > 0 && isClosed(country))
        const sent = counts.codes(codesOf(lately, SECRET, isClosed, ['sent']), lately)
        return (
          <>
            <Text size="sm">{say.closeMeans(names)}</Text>
            <Text size="sm">
              {say.closeTouches(counts.keys(keysOf(lately, SECRET)), sent)}{' '}
              {lost.length > 0 && say.closeTo(list(lost.slice(0, MOST_NAMED).map(({ country }) => country)))}
            </Text>
          </>
        )
      }}
    </Question>
  )
}

export function OpenAgain({ app: { appId } }: { app: ShownApp }) {
  const say = useWords(protectionWords)
  const may = useMay()
  const open = useSecretTo(say.openedAgain)
  if (!may('protection')) return null
  return (
    <Group mt={4}>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={say.openAgainOf}
        onClick={() => open.mutate({ appId, protection: { secretTo: [] } })}
        loading={open.isPending}
      >
        {say.openAgain}
      </Button>
    </Group>
  )
}
