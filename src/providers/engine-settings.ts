/** Settings that a carrier has beside those of its description, because of what the description has. */
import { z } from 'zod'

export const SENDERS = {
  title: 'Senders by country',
  help: 'For messages to these countries instead of the sender, such as KR=0212345678, US=+15005550006. The sign * stands for all others.',
  secret: false,
  optional: true,
  pattern: '^\\s*([A-Z]{2}|\\*)\\s*=[^,=]+(,\\s*([A-Z]{2}|\\*)\\s*=[^,=]+)*$',
  says: 'must be such as KR=0212345678, *=ACME',
  url: false,
}

/** The same for carriers without a description. */
export const sendersSetting = z.string().regex(new RegExp(SENDERS.pattern), SENDERS.says).optional()

/** The fields of a description with those settings. */
export const withEngineSettings = <Field>({
  fields,
  lookup,
}: {
  fields: Readonly<Record<string, Field>>
  lookup?: { facts: object } | undefined
}): Record<string, Field | typeof SENDERS> =>
  Object.fromEntries([
    ...Object.entries(fields).flatMap(
      ([name, field]): Array<[string, Field | typeof SENDERS]> => [
        [name, field],
        ...(name === 'from' ? [['senders', SENDERS] as [string, typeof SENDERS]] : []),
      ],
    ),
    ...(lookup ? [['lookup', lookupField(Object.keys(lookup.facts))] as const] : []),
  ])

function lookupField(facts: string[]): typeof SENDERS {
  const fact = `\\s*(${facts.join('|')})\\s*`
  return {
    ...SENDERS,
    title: 'Look-up before the first SMS',
    help: `Send nothing to numbers of these kinds: ${facts.join(', ')}. Each question costs money.`,
    pattern: `^${fact}(,${fact})*$`,
    says: `must be one or several of ${facts.join(', ')}, with commas between them`,
  }
}
