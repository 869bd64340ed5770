/** The ledger as a file: every entry that fits the filters, not only those shown. */
import { client } from '../../api'
import { saveCsv } from '../../csv'
import { timesOf } from '../../days'
import type { LedgerFilters } from './filters'

const PAGE = 200

/** Answers how many entries the file has. */
export async function exportLedger(appId: string, appName: string, { type, from, to }: LedgerFilters): Promise<number> {
  const input = { appId, limit: PAGE, entryType: type, ...timesOf({ from, to }) }
  const rows: (string | number | undefined)[][] = []
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const page = await client.wallet.ledger({ ...input, after })
    for (const entry of page.rows) {
      const { seq, createdAt, entryType, amountDelta, balanceAfter, issueId, reference } = entry
      rows.push([seq, new Date(createdAt).toISOString(), entryType, amountDelta, balanceAfter, issueId, reference])
    }
    after = page.next
  }
  const header = ['seq', 'createdAt', 'entryType', 'amountDelta', 'balanceAfter', 'issueId', 'reference']
  const days = [from, to].filter(Boolean).map((day) => `-${day}`)
  saveCsv(`ledger-${appName.replace(/[^\p{L}\p{N}_-]+/gu, '-')}${days.join('')}.csv`, [header, ...rows])
  return rows.length
}
