/** Checks that the newest audit entries are present. Verifying every entry would take too long here. */
import { type LostEnd, lostEnds } from '../../usecases/verify-audit'
import { type Check, findings, type Wrong } from './finding'

export const checkAudit: Check = async ({ store: { read } }) =>
  findings(
    'audit',
    (await lostEnds(read)).map(findingOf),
    'The audit log goes as far as it is known to have gone; `watchword audit verify` looks at every entry.',
  )

const PLACES = { database: 'the database', file: 'the file watchword.audit' } as const

export const lostInWords = ({ where, problem, seq }: LostEnd): string => {
  if (problem === 'gone') return `Where the audit log ended is not in ${PLACES[where]} any more.`
  if (problem === 'unreadable')
    return `What ${PLACES[where]} says of the end of the audit log was not written by this service.`
  return `The audit log had an entry ${seq}, says ${PLACES[where]}: it is gone, or another one has taken its place.`
}

const findingOf = (lost: LostEnd): Wrong =>
  lost.problem === 'gone'
    ? { state: 'warn', message: lostInWords(lost), advice: 'The next start of the server writes it down again.' }
    : {
        state: 'problem',
        message: lostInWords(lost),
        advice:
          'Somebody removed entries, or put an older database in place without `watchword restore`. Once you know which: `watchword audit accept`.',
      }
