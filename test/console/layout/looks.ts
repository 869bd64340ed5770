/** Which states are looked at, and how thoroughly: what a change may have moved in full, else each page where most faults are found. */
import { changedFiles } from '../../support/changed-files'
import { isNightly } from '../../support/depth'
import { EVERY_WIDTH, NARROW_AND_WIDE } from './measure'
import type { State } from './states'
import type { Language } from './visitor'

const PAGES = 'src/console/web/pages/'

/** English: three of four of its texts are wider than the Korean ones, and what has too little room is the commonest fault. */
const WIDEST: readonly Language[] = ['en']
const ALL: readonly Language[] = ['en', 'ko']

export interface Thoroughness {
  languages: readonly Language[]
  looks: typeof EVERY_WIDTH
}

/** A page, its editor and the folder beside it are one: `webhook-edit.tsx`, `webhooks/form.tsx` and `/webhooks/e2`. */
const pageOf = (path: string) => (/^[\w-]+/.exec(path)?.[0] ?? 'overview').replace(/-edit$/, '').replace(/s$/, '')

/** A page as it is when nothing has gone wrong and nothing lies over it. */
const isPageItself = ({ name }: State) => / full$|^(sign-in|set-up|invitation)$/.test(name)

/** Undefined where a state is not looked at. Where nothing is known of changes, everything may have changed. */
export function thoroughness(): (state: State) => Thoroughness | undefined {
  const changed = isNightly ? undefined : changedFiles()
  const pages = new Set(
    changed?.filter((file) => file.startsWith(PAGES)).map((file) => pageOf(file.slice(PAGES.length))),
  )
  const isChanged = ({ path, opener = '' }: State) =>
    pages.has(pageOf(path.slice(1))) ||
    (opener.startsWith('pages/') && pages.has(pageOf(opener.slice('pages/'.length))))
  return (state) => {
    if (changed === undefined || isChanged(state)) return { languages: ALL, looks: EVERY_WIDTH }
    return isPageItself(state) ? { languages: WIDEST, looks: NARROW_AND_WIDE } : undefined
  }
}
