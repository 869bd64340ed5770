/** A notice as a sentence. */
import { useFormats } from '../../i18n/format'
import { countryWithCode } from '../../i18n/names'
import { useLanguage, useWords } from '../../i18n/words'
import { whyDisabled } from '../webhooks/endpoint-state'
import { noticeWords, type ShownNotice } from './words'

export function useSays(): (notice: ShownNotice) => string {
  const say = useWords(noticeWords)
  const formats = useFormats()
  const language = useLanguage()
  return ({ kind, facts }) => {
    const text = (name: string) => String(facts[name] ?? '')
    const count = (name: string) => formats.number(Number(facts[name] ?? 0))
    const app = text('app')
    switch (kind) {
      case 'no_credit':
        return say.noCredit(app)
      case 'disk_low':
        return say.disk(count('freeMib'), count('neededMib'))
      case 'clock_stepped':
        return say.clock(count('seconds'))
      case 'low_credit':
        return facts.days === undefined
          ? say.credit(app, count('available'))
          : say.creditDays(app, count('available'), count('days'))
      case 'carrier_down':
        return say.carrier(text('carrier'), text('code'))
      case 'no_reports':
        return say.silent(text('carrier'), count('accepted'), count('refused'))
      case 'deliveries_failing':
        return say.failing(app, count('percent'), count('usual'))
      case 'attack':
        return say.attacked(app, facts.country === '' ? say.noCountry : countryWithCode(text('country'), language))
      case 'endpoint_disabled':
        return say.disabled(app, text('host'), whyDisabled({ disabledReason: text('reason') }))
      case 'backup_overdue':
        return [
          facts.failed === undefined ? '' : say.backupFailed(text('failed'), text('why')),
          facts.newest === '' ? say.noBackup : say.backup(text('newest')),
        ]
          .filter(Boolean)
          .join(' ')
      case 'webhook_certificate':
        return facts.until === '' ? say.refused(app, text('host')) : say.expires(app, text('host'), text('until'))
    }
  }
}
