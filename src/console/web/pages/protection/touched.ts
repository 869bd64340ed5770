/** What a decision about where codes go touches: said before it is taken. */
import { useQuery } from '@tanstack/react-query'
import { api, type client } from '../../api'
import { useFormats } from '../../i18n/format'
import { useWords } from '../../i18n/words'
import type { ShownIncident } from './place'
import { protectionWords } from './words'

export type ShownLately = Awaited<ReturnType<typeof client.protection.lately>>
export type ShownKeyKind = ShownIncident['kind']

/** As it is when the question is asked; `prefix`: only of these numbers. */
export function useLately(appId: string, prefix?: string) {
  const input = { appId, ...(prefix !== undefined && { prefix }) }
  return useQuery(api.protection.lately.queryOptions({ input, staleTime: 0, gcTime: 0 }))
}

/** Codes of the last hour that were sent, or refused, by keys of these kinds for countries that count. */
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
