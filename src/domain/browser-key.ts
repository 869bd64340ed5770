/**
 * What whoever finds a live browser key must not be able to do with it: send texts of their own from somebody's name.
 * Decisions: "Keys". Test keys send nothing and are not restricted.
 */
import { Refusal } from './error'
import type { ApiKey } from './key'
import type { Template } from './template'

/** A name, an order number, an hour; not a message. */
const MAX_CHARACTERS = 40

/** Whether its key should be looked at: it may do what new ones are not given. */
export const isOpen = ({ kind, mode, allows }: Pick<ApiKey, 'kind' | 'mode' | 'allows'>): boolean =>
  kind === 'pk' && mode === 'live' && allows.length > 0

interface Wish {
  from: string | undefined
  templateVariables: Readonly<Record<string, string>>
}

/** Throws `forbidden`, naming the field. */
export function assertWithin(
  key: Pick<ApiKey, 'kind' | 'mode' | 'allows'>,
  { from, templateVariables }: Wish,
  { variables }: Template,
): void {
  if (key.kind !== 'pk' || key.mode !== 'live') return
  if (from !== undefined && !key.allows.includes('from'))
    throw beyond('from', 'from_not_allowed', 'this public key may not set the sender')
  if (key.allows.includes('text')) return
  for (const [name, value] of Object.entries(templateVariables)) {
    const isFree = Object.hasOwn(variables, name) && variables[name]?.pattern === undefined
    if (isFree && !isHarmless(value))
      throw beyond(
        `templateVariables.${name.slice(0, 64)}`,
        'free_text_not_allowed',
        `with this public key at most ${MAX_CHARACTERS} characters without a link`,
      )
  }
}

const beyond = (param: string, reason: 'from_not_allowed' | 'free_text_not_allowed', problem: string) =>
  new Refusal('forbidden', `${param}: ${problem}`, { param, reason })

/** What a phone would make a link of: an address with a scheme, a name with a domain behind a dot, an IP address. */
const LINK = /:\/\/|[\p{L}\p{N}]\.\p{L}{2}|\d\.\d+\.\d/u

const isHarmless = (value: string): boolean => {
  // Normalizing a long row of accents takes seconds: what is too long is not looked at.
  if ([...value].length > MAX_CHARACTERS) return false
  // Full-width letters and dots become links, too.
  return !LINK.test(value.normalize('NFKC').replaceAll('。', '.'))
}
