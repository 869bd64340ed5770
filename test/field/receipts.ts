/** Receipts of SMPP as carriers send them, as public reports tell. Ids are made up. Played by `test/providers/smpp.test.ts`. */
export interface ReceiptCase {
  /** The public report. */
  report: string
  /** Why this is right. */
  authority: string
  /** The id that the answer gave. */
  answered: string
  receiptIds?: 'hex' | 'decimal'
  text: string
  /** The TLV `message_state`. */
  messageState?: number
  status: 'delivered' | 'failed' | undefined
}

const IDS = 'SMPP 3.4, appendix B: the id of a receipt is ten decimal digits, with zeros in front'
const STATE = 'SMPP 3.4, 5.3.2.35: message_state is the state; appendix B calls the text specific to the vendor'
const github = (report: string) => `https://github.com/${report.replace('#', '/issues/')}`

export const RECEIPTS: readonly ReceiptCase[] = [
  ...[
    ['jookies/jasmin#408', '023', '23'],
    ['jookies/jasmin#366', '23', '0000000023'],
    ['jookies/jasmin#423', '00B8BE19', 'B8BE19'],
    ['jookies/jasmin#916', 'B8BE19', 'b8be19'],
    ['jookies/jasmin#1129', 'A-17f', 'a-17F'],
  ].map(([report = '', answered = '', receipted]) => ({
    ...{ report: github(report), authority: IDS, answered, text: `id:${receipted} stat:DELIVRD err:000` },
    status: 'delivered' as const,
  })),
  {
    ...{ report: github('opentelecoms-org/jsmpp#56'), authority: IDS, answered: '33E95179', receiptIds: 'decimal' },
    ...{ text: 'id:0870928761 sub:001 dlvrd:001 stat:DELIVRD err:000', status: 'delivered' },
  },
  {
    ...{ report: github('jookies/jasmin#1034'), authority: IDS, answered: '870928761', receiptIds: 'hex' },
    ...{ text: 'id:33e95179 stat:UNDELIV err:021', status: 'failed' },
  },
  ...(
    [
      ['jookies/jasmin#181', 'stat:DELIVERED', 2, 'delivered'],
      ['jookies/jasmin#181', 'stat:UNDELIVERABLE', 5, 'failed'],
      ['jookies/jasmin#181', 'stat:DELIVERED', undefined, 'delivered'],
      ['opentelecoms-org/jsmpp#9', 'stat:FAILED', undefined, 'failed'],
      ['opentelecoms-org/jsmpp#9', 'stat:ACKED', 2, 'delivered'],
      ['opentelecoms-org/jsmpp#9', 'stat:BUFFRED', undefined, undefined],
      ['praekeltfoundation/vumi#637', 'stat: err:000', 2, 'delivered'],
      ['praekeltfoundation/vumi#637', 'stat:XYZ err:000', 8, 'failed'],
      ['opentelecoms-org/jsmpp#62', 'stat:delivrd err:000', undefined, 'delivered'],
    ] as const
  ).map(([report, words, messageState, status]) => ({
    ...{ report: github(report), authority: STATE, answered: 'm-1', text: `id:m-1 ${words}`, status },
    ...(messageState !== undefined && { messageState }),
  })),
]
