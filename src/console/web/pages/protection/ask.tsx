/** Confirmation dialog for changes of the protection. */
import { Button, Group, Skeleton, Stack } from '@mantine/core'
import { modals } from '@mantine/modals'
import { type UseQueryResult, useMutation, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api, type client } from '../../api'
import { useFormats } from '../../i18n/format'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import type { ShownIncident } from './place'
import { protectionWords } from './words'

/** `content` receives the function that closes the dialog. */
export function openQuestion(title: string, content: (onClose: () => void) => ReactNode): void {
  const modalId = modals.open({ title, children: content(() => modals.close(modalId)) })
}

interface QuestionProps {
  lately: UseQueryResult<ShownLately>
  /** Label of the button. */
  action: string
  /** Undefined while nothing is chosen. */
  run: (() => Promise<unknown>) | undefined
  onClose(): void
  children(lately: ShownLately): ReactNode
}

export function Question({ lately, action, run, onClose, children }: QuestionProps) {
  const common = useWords(frameWords)
  const doing = useMutation({ mutationFn: async () => run?.(), onSuccess: onClose })
  return (
    <Stack>
      {lately.isError && <ProblemNote failure={lately.error} />}
      {lately.isPending && <Skeleton height={80} />}
      {lately.data && children(lately.data)}
      {doing.isError && <ProblemNote failure={doing.error} />}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={onClose}>
          {common.cancel}
        </Button>
        <Button
          color="red"
          onClick={() => doing.mutate()}
          loading={doing.isPending}
          disabled={!lately.data || run === undefined}
        >
          {action}
        </Button>
      </Group>
    </Stack>
  )
}

/** Keys and codes of the last hour that a change would affect. */
type ShownLately = Awaited<ReturnType<typeof client.protection.lately>>
export type ShownKeyKind = ShownIncident['kind']

/** Fetched fresh for each question. `prefix` restricts it to these numbers. */
export function useLately(appId: string, prefix?: string) {
  const input = { appId, ...(prefix !== undefined && { prefix }) }
  return useQuery(api.protection.lately.queryOptions({ input, staleTime: 0, gcTime: 0 }))
}

/** Codes of the last hour by these kinds of key, for the countries that `counts` accepts. */
export const codesOf = (
  { codes }: ShownLately,
  kinds: readonly ShownKeyKind[],
  counts: (country: string) => boolean,
  which: ReadonlyArray<'sent' | 'refused'>,
): number =>
  codes
    .filter(({ kind, country }) => kinds.includes(kind) && counts(country))
    .reduce((sum, row) => sum + which.reduce((all, name) => all + row[name], 0), 0)

export const keysOf = ({ keys }: ShownLately, kinds: readonly ShownKeyKind[]): number =>
  kinds.reduce((sum, kind) => sum + keys[kind], 0)

/** Numbers of keys and codes in words. */
export function useCounts() {
  const say = useWords(protectionWords)
  const { number } = useFormats()
  return {
    keys: (count: number) => say.keysCounted(count, number(count)),
    codes: (count: number, { areAll }: Pick<ShownLately, 'areAll'>) =>
      areAll ? say.codesCounted(count, number(count)) : say.moreCodes(count, number(count)),
  }
}
