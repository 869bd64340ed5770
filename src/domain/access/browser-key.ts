/**
 * Restricts what live browser keys may put into messages: a leaked key must not send texts of its finder in the name of
 * the app. Test keys send nothing and are not restricted. Decisions: "Keys".
 */

import { partsOf, type Template } from '../message/template'
import { Refusal } from '../shared/error'
import type { ApiKey } from './api-key'

/** Enough for a name, an order number or a time, but not for a message. */
const MAX_CHARACTERS = 40

/** Whether the key has allowances that new keys do not get. */
export const hasAllowances = ({ kind, mode, allows }: Pick<ApiKey, 'kind' | 'mode' | 'allows'>): boolean =>
  kind === 'pk' && mode === 'live' && allows.length > 0

interface BrowserRequest {
  from: string | undefined
  templateVariables: Readonly<Record<string, string>>
}

/** Throws `forbidden` for a sender or text that the key may not use, naming the field. */
export function assertAllowedContent(
  key: Pick<ApiKey, 'kind' | 'mode' | 'allows'>,
  { from, templateVariables }: BrowserRequest,
  template: Template,
): void {
  if (key.kind !== 'pk' || key.mode !== 'live') return
  if (from !== undefined && !key.allows.includes('from'))
    throw beyond('from', 'from_not_allowed', 'this public key may not set the sender')
  if (key.allows.includes('text')) return
  for (const [name, value] of Object.entries(templateVariables))
    if (isFree(template, name) && !isHarmless(value)) throw freeText(`templateVariables.${name.slice(0, 64)}`)
  if (combineToTappable(template, templateVariables)) throw freeText('templateVariables')
}

const isFree = ({ variables }: Template, name: string): boolean =>
  Object.hasOwn(variables, name) && variables[name]?.pattern === undefined

const freeText = (param: string) =>
  beyond(
    param,
    'free_text_not_allowed',
    `with this public key at most ${MAX_CHARACTERS} letters, digits and simple punctuation, no link and no phone number`,
  )

const beyond = (param: string, reason: 'from_not_allowed' | 'free_text_not_allowed', problem: string) =>
  new Refusal('forbidden', `${param}: ${problem}`, { param, reason })

const SPACES = String.raw`\x20\u00a0\u202f\u3000`
const EMOJI = String.raw`\p{Extended_Pictographic}`
/**
 * Characters of names, numbers, times and amounts in any script. Invisible characters are allowed within emojis only.
 * The alternatives are disjoint, so that matching never backtracks.
 */
const ALLOWED = new RegExp(
  [
    String.raw`^(?:[[\p{L}\p{M}\p{Nd}\p{Pd}\p{Sc}\p{RI}${EMOJI}${SPACES}.,:;!?'"’‘“”\(\)（）&%#+_\/・、،׳״]--\p{DI}]`,
    String.raw`(?<=${EMOJI})\ufe0f`,
    String.raw`(?<=[${EMOJI}\ufe0f])\u200d(?=${EMOJI}))*$`,
  ].join('|'),
  'v',
)

/** Characters after which a dot or colon makes no link. */
const ENDS = String.raw`[${SPACES}.:;,!?'"’”\)）]|$`
/** Text that phones turn into a link: a name behind a dot, a scheme before a colon, an IP address, seven digits in a row. */
const TAPPABLE = new RegExp(
  [
    String.raw`\.(?!\p{Nd}|${ENDS})`,
    String.raw`:(?!\p{Nd}|${ENDS})|(?<!\p{Nd}):(?=\p{Nd})`,
    String.raw`\p{Nd}\.\p{Nd}+\.\p{Nd}`,
    // Between the digits of a number libphonenumber takes these for separators.
    String.raw`(?:\p{Nd}[\p{Pd}${SPACES}.\(\)（）#+_\/・ーxX]*){7}`,
  ].join('|'),
  'gv',
)

const tappables = (text: string): number => text.match(TAPPABLE)?.length ?? 0

// The length is checked first, so that long texts are not searched.
const isHarmless = (value: string): boolean =>
  value.length <= 2 * MAX_CHARACTERS &&
  [...value].length <= MAX_CHARACTERS &&
  ALLOWED.test(value) &&
  tappables(value) === 0

/** Placeholder for words that are not the caller's. */
const WORD = 'n'

/** Whether values that are harmless alone combine to a link or a number, in any language of the template. */
function combineToTappable(template: Template, values: BrowserRequest['templateVariables']): boolean {
  if (Object.keys(values).length === 0) return false
  const shown = (name: string) => (isFree(template, name) ? values[name] : WORD)
  const bodies = [template, ...Object.values(template.bodies ?? {})].map(({ body }) => partsOf(body))
  const isFilled = (name: string) => name === 'code' || Object.hasOwn(values, name)
  return bodies.some(
    (parts) =>
      tappables(filled(parts, (name) => (isFilled(name) ? shown(name) : ''))) > tappables(filled(parts, () => WORD)),
  )
}

const filled = (parts: readonly string[], shown: (name: string) => string | undefined): string =>
  parts.map((part, at) => (at % 2 === 0 ? part.replace(/[\p{L}\p{M}\p{N}]+/gu, WORD) : shown(part))).join('')
