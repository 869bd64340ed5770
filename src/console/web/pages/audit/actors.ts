/** Who an entry says it was: an operator by name, the command line, or whoever is gone meanwhile by id. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { inWords, useWords } from '../../i18n/words'

const CLI = 'cli'
/** Who is not signed in. */
const NOBODY = 'nobody'

const words = inWords({
  en: { cli: 'Command line', nobody: 'Somebody unknown' },
  ko: { cli: '명령줄', nobody: '알 수 없는 사람' },
})

export interface Actors {
  nameOf(actor: string): string
  /** To choose from. */
  options: { value: string; label: string }[]
}

/** `chosen` may be somebody who is gone. */
export function useActors(chosen: string | undefined): Actors {
  const say = useWords(words)
  const operators = useQuery(api.operators.list.queryOptions()).data?.operators ?? []
  const names = new Map([
    [CLI, say.cli],
    [NOBODY, say.nobody],
    ...operators.map(({ operatorId, name }) => [operatorId, name] as const),
  ])
  const nameOf = (actor: string) => names.get(actor) ?? actor
  const actors = new Set([...names.keys(), ...(chosen === undefined ? [] : [chosen])])
  return { nameOf, options: [...actors].map((actor) => ({ value: actor, label: nameOf(actor) })) }
}
