/** Exports all entries that match the filters, page by page. */
import { Button, Menu } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { isoAt } from '../../../../domain/shared/time-zone'
import { client } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { tellDone, tellProblem } from '../../parts/tell'
import { saveCsv, saveFile, saveXlsx } from '../../save-file'
import { timeZone } from '../../time-zone'
import type { AuditFilters, AuditRow } from './actions'

const words = inWords({
  en: {
    export: 'Export',
    csv: 'CSV, for a spreadsheet',
    xlsx: 'Excel',
    json: 'JSON, with everything',
    done: (count: number) => `${count} ${count === 1 ? 'entry' : 'entries'} exported.`,
  },
  ko: {
    export: '내보내기',
    csv: 'CSV (스프레드시트용)',
    xlsx: '엑셀',
    json: 'JSON (전체 항목)',
    done: (count) => `기록 ${count}건을 내보냈습니다.`,
  },
})

const PAGE = 200

async function everyEntry(filters: AuditFilters): Promise<AuditRow[]> {
  const rows: AuditRow[] = []
  let after: string | undefined
  do {
    const page = await client.audit.list({ ...filters, limit: PAGE, ...(after !== undefined && { after }) })
    rows.push(...page.rows)
    after = page.next
  } while (after !== undefined)
  return rows
}

const HEADER = ['seq', 'at', 'actor', 'action', 'target', 'detail', 'ip', 'hash'] as const

const cellsOf = ({ seq, at, actor, action, target, detail, ip, hash }: AuditRow) => [
  seq,
  isoAt(at, timeZone()),
  actor,
  action,
  target,
  JSON.stringify(detail),
  ip,
  hash,
]

const asJson = (rows: readonly AuditRow[]) =>
  `${JSON.stringify(
    rows.map((row) => ({ ...row, at: isoAt(row.at, timeZone()) })),
    undefined,
    2,
  )}\n`

export function Export({ filters }: { filters: AuditFilters }) {
  const say = useWords(words)
  const save = useMutation({
    async mutationFn(format: 'csv' | 'xlsx' | 'json') {
      const rows = await everyEntry(filters)
      if (format === 'csv') saveCsv('audit.csv', [HEADER, ...rows.map(cellsOf)])
      else if (format === 'xlsx') await saveXlsx('audit.xlsx', [HEADER, ...rows.map(cellsOf)])
      else saveFile('audit.json', 'application/json', asJson(rows))
      return rows.length
    },
    onSuccess: (count) => tellDone(say.done(count)),
    onError: tellProblem,
  })
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={18} aria-hidden />} loading={save.isPending}>
          {say.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => save.mutate('csv')}>{say.csv}</Menu.Item>
        <Menu.Item onClick={() => save.mutate('xlsx')}>{say.xlsx}</Menu.Item>
        <Menu.Item onClick={() => save.mutate('json')}>{say.json}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
