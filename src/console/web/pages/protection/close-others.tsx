/** Closes all countries to secret keys but those where their codes were typed, and opens them again. */
import { Button, Group, Text } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import { tellDone, tellProblem } from '../../parts/tell'
import type { App } from '../../scope'
import { useMay } from '../../session'
import { useCountryList } from './place'
import { protectionWords } from './words'

/** What was typed changes by the hour, and to add it up takes a while. */
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

export function CloseOthers({ app: { appId }, home }: { app: App; home: string }) {
  const say = useWords(protectionWords)
  const { number } = useFormats()
  const list = useCountryList()
  const may = useMay()
  const lately = useQuery(api.protection.sentTo.queryOptions({ input: { appId }, staleTime: LOOK_MS }))
  const { days = 0, typed = [], untyped = [] } = lately.data ?? {}
  const secretTo = [...new Set([home, ...typed])]
  const names = list(secretTo)
  const close = useSecretTo(say.closedOthers(names))
  if (typed.length === 0) return null
  return (
    <>
      <Text size="sm" c="dimmed">
        {say.typedIn(number(days), list(typed))} {untyped.length > 0 && say.untypedIn(list(untyped))}
      </Text>
      {may('apps') && (
        <Group mt={4}>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={say.closeOthersOf(names)}
            onClick={() => close.mutate({ appId, protection: { secretTo } })}
            loading={close.isPending}
          >
            {say.closeOthers}
          </Button>
        </Group>
      )}
    </>
  )
}

export function OpenAgain({ app: { appId } }: { app: App }) {
  const say = useWords(protectionWords)
  const may = useMay()
  const open = useSecretTo(say.openedAgain)
  if (!may('apps')) return null
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
