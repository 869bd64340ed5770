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
  /** The TLV `receipted_message_id`. */
  receiptedId?: string
  /** It comes as data_sm. */
  isData?: true
  /** Bytes behind the last TLV. */
  behind?: string
  status: 'delivered' | 'failed' | undefined
}

const IDS = 'SMPP 3.4, appendix B: the id of a receipt is ten decimal digits, with zeros in front'
const STATE = 'SMPP 3.4, 5.3.2.35: message_state is the state; appendix B calls the text specific to the vendor'
const TLV_ID = 'SMPP 3.4, 5.3.2.12: receipted_message_id is the id that submit_sm_resp returned'
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
  // The TLV has the id as the answer gave it, whatever base the text is in.
  ...(
    [
      ['33E9517A', 'decimal', 'id:0870928762 stat:DELIVRD'],
      ['33E9517A', 'decimal', 'stat:DELIVRD'],
      ['33195170', 'decimal', 'stat:DELIVRD'],
      ['870928762', 'hex', 'id:33E9517A stat:DELIVRD'],
    ] as const
  ).map(([answered, receiptIds, text]) => ({
    ...{ report: github('MavoCz/smscsim#4'), authority: TLV_ID, answered, receiptIds, receiptedId: answered, text },
    status: 'delivered' as const,
  })),
  {
    ...{ report: github('jookies/jasmin#953'), authority: IDS, answered: 'dbd1d8e8-d2a4-4f0a-9f0b-2d6a1c000001' },
    ...{ text: 'id:dbd1d8e8-d2a4-4f0a-9f0b-2d6a1c000001 stat:DELIVRD', status: 'delivered' },
    receiptedId: 'dbd1d8e8d2a44f0a9f0b2d6a1c000001',
  },
  ...(
    [
      ['id:m-1 sub:000 dlvrd:000 submit date:2611300102 done date:2611300102 DELIVRD err:000 Text:', 'delivered'],
      ['id:m-1 sub:000 dlvrd:000 UNDELIV err:027 Text:DELIVRD', 'failed'],
      ['id:m-1 sub:001 Text:DELIVRD', undefined],
    ] as const
  ).map(([text, status]) => ({
    ...{ report: github('kneodev/ksmppd#108'), authority: STATE, answered: 'm-1', text, status },
  })),
  ...(
    [
      ['id:m-1 stat:DELIVRD\0', 'delivered'],
      ['id:m-1 stat:DELIVRD\0 err:000\0', 'delivered'],
      ['id:m-1\0 stat:DELIVRD', 'delivered'],
      ['id:m-1\0stat:DELIVRD\0', 'delivered'],
      ['id:m-1 stat:  UNDELIV', 'failed'],
      ['id:m-1,stat:DELIVRD,err:000', 'delivered'],
      ['id:m-1;stat:UNDELIV;err:027', 'failed'],
      [[...'id:m-1 stat:DELIVRD err:000'].map((sign) => `\0${sign}`).join(''), 'delivered'],
    ] as const
  ).map(([text, status]) => ({
    ...{ report: github('onlinecity/php-smpp#29'), authority: STATE, answered: 'm-1', text, status },
  })),
  ...(
    [
      ['id:m-1 stat:SKIPPED', undefined],
      ['id:m-1', 9],
    ] as const
  ).map(([text, messageState]) => ({
    ...{
      report: github('farhadi/node-smpp#34'),
      authority: 'SMPP 5.0, 4.7.15: SKIPPED is final',
      answered: 'm-1',
      text,
    },
    ...(messageState !== undefined && { messageState }),
    status: 'failed' as const,
  })),
  {
    ...{ report: github('jookies/jasmin#92'), authority: 'SMPP 3.4, 4.7: receipts may come as data_sm' },
    ...{ answered: 'm-1', receiptedId: 'm-1', messageState: 2, text: '', isData: true, status: 'delivered' },
  },
  {
    ...{ report: github('jookies/jasmin#139'), authority: 'SMPP 3.4, 4.7: receipts may come as data_sm' },
    ...{ answered: 'm-1', text: 'id:m-1 stat:UNDELIV err:021', isData: true, status: 'failed' },
  },
  ...['0426000501', '04', '042600'].map((behind) => ({
    ...{ report: github('opentelecoms-org/jsmpp#214'), authority: 'SMPP 3.4, 3.3: what cannot be read is left out' },
    ...{ answered: 'm-1', text: 'id:m-1 stat:DELIVRD err:000', behind, status: 'delivered' as const },
  })),
]
