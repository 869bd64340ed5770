/** Command statuses of SMPP 3.4 (table 5-2), and their meaning for a message: whether to try again, and where. */
import type { SendOutcome, SendRefusal } from '../domain/delivery/delivery'

interface Meaning {
  name: string
  /** `unsure`: the carrier does not know itself whether it took the message. */
  verdict: SendRefusal | 'unsure'
  explanation: string
}

type StatusRow = readonly [status: number, ...meaning: [name: Meaning['name'], verdict: Meaning['verdict'], string]]

const ROWS: readonly StatusRow[] = [
  [0x01, 'ESME_RINVMSGLEN', 'never', 'the carrier refused the length of the message'],
  [0x02, 'ESME_RINVCMDLEN', 'elsewhere', 'the carrier could not read the request (command length)'],
  [0x03, 'ESME_RINVCMDID', 'elsewhere', 'the carrier does not know the request; is this an SMPP 3.4 transceiver port?'],
  [0x04, 'ESME_RINVBNDSTS', 'later', 'the carrier does not regard the session as bound for sending'],
  [0x05, 'ESME_RALYBND', 'later', 'the account is already bound; it may allow one session only'],
  [0x06, 'ESME_RINVPRTFLG', 'elsewhere', 'the carrier refused the priority flag'],
  [0x07, 'ESME_RINVREGDLVFLG', 'elsewhere', 'the carrier offers no delivery receipts to this account'],
  [0x08, 'ESME_RSYSERR', 'later', 'the carrier has a system error'],
  [0x0a, 'ESME_RINVSRCADR', 'elsewhere', 'the carrier refused the sender; register it there, or set another'],
  [0x0b, 'ESME_RINVDSTADR', 'never', 'the carrier refused the number of the recipient'],
  [0x0c, 'ESME_RINVMSGID', 'elsewhere', 'the carrier refused a message id'],
  [0x0d, 'ESME_RBINDFAIL', 'unfit', 'the carrier refused the session; ask it about the account and our address'],
  [0x0e, 'ESME_RINVPASWD', 'unfit', 'the carrier refused the password'],
  [0x0f, 'ESME_RINVSYSID', 'unfit', 'the carrier does not know the system id'],
  [0x11, 'ESME_RCANCELFAIL', 'elsewhere', 'the carrier could not cancel a message'],
  [0x13, 'ESME_RREPLACEFAIL', 'elsewhere', 'the carrier could not replace a message'],
  [0x14, 'ESME_RMSGQFUL', 'later', 'the queue at the carrier is full'],
  [0x15, 'ESME_RINVSERTYP', 'elsewhere', 'the carrier refused the service type; check `serviceType`'],
  [0x33, 'ESME_RINVNUMDESTS', 'elsewhere', 'the carrier refused the number of destinations'],
  [0x34, 'ESME_RINVDLNAME', 'elsewhere', 'the carrier refused a distribution list'],
  [0x40, 'ESME_RINVDESTFLAG', 'elsewhere', 'the carrier refused the destination flag'],
  [0x42, 'ESME_RINVSUBREP', 'elsewhere', 'the carrier refused submit with replace'],
  [0x43, 'ESME_RINVESMCLASS', 'elsewhere', 'the carrier refused esm_class; it may not take long messages in parts'],
  [0x44, 'ESME_RCNTSUBDL', 'elsewhere', 'the carrier cannot submit to a distribution list'],
  [0x45, 'ESME_RSUBMITFAIL', 'elsewhere', 'the carrier could not take the message'],
  [0x48, 'ESME_RINVSRCTON', 'elsewhere', 'the carrier refused the type of the sender; check `source.ton`'],
  [0x49, 'ESME_RINVSRCNPI', 'elsewhere', 'the carrier refused the numbering plan of the sender; check `source.npi`'],
  [0x50, 'ESME_RINVDSTTON', 'elsewhere', 'the carrier refused the type of the recipient; check `destination.ton`'],
  [0x51, 'ESME_RINVDSTNPI', 'elsewhere', 'the carrier refused the numbering plan; check `destination.npi`'],
  [0x53, 'ESME_RINVSYSTYP', 'unfit', 'the carrier refused the system type; check `systemType`'],
  [0x54, 'ESME_RINVREPFLAG', 'elsewhere', 'the carrier refused the replace flag'],
  [0x55, 'ESME_RINVNUMMSGS', 'elsewhere', 'the carrier refused the number of messages'],
  [0x58, 'ESME_RTHROTTLED', 'later', 'more messages than the carrier allows at a time'],
  [0x61, 'ESME_RINVSCHED', 'elsewhere', 'the carrier refused the delivery time'],
  [0x62, 'ESME_RINVEXPIRY', 'elsewhere', 'the carrier refused the validity period; check `validity`'],
  [0x63, 'ESME_RINVDFTMSGID', 'elsewhere', 'the carrier refused the predefined message'],
  [0x64, 'ESME_RX_T_APPN', 'later', 'the carrier has a temporary error'],
  [0x65, 'ESME_RX_P_APPN', 'never', 'the carrier refused the message for good'],
  [0x66, 'ESME_RX_R_APPN', 'never', 'the carrier rejected the message'],
  [0x67, 'ESME_RQUERYFAIL', 'elsewhere', 'the carrier could not answer a query'],
  [0xc0, 'ESME_RINVOPTPARSTREAM', 'elsewhere', 'the carrier could not read the optional parameters'],
  [0xc1, 'ESME_ROPTPARNOTALLWD', 'elsewhere', 'the carrier refused an optional parameter'],
  [0xc2, 'ESME_RINVPARLEN', 'elsewhere', 'the carrier refused the length of a parameter'],
  [0xc3, 'ESME_RMISSINGOPTPARAM', 'elsewhere', 'the carrier wants an optional parameter that we do not send'],
  [0xc4, 'ESME_RINVOPTPARAMVAL', 'elsewhere', 'the carrier refused the value of an optional parameter'],
  [0xfe, 'ESME_RDELIVERYFAILURE', 'elsewhere', 'the carrier could not deliver'],
  [0xff, 'ESME_RUNKNOWNERR', 'unsure', 'the carrier failed in a way it does not know; the message may be out'],
]

const MEANINGS: ReadonlyMap<number, Meaning> = new Map(
  ROWS.map(([status, name, verdict, explanation]) => [status, { name, verdict, explanation }]),
)

/** A status of the carrier's own: a refusal all the same, by this carrier. */
const unlisted = (status: number): Meaning => ({
  name: `SMPP_STATUS_${status.toString(16).toUpperCase()}`,
  verdict: 'elsewhere',
  explanation: 'the carrier refused the message with a code of its own; its documentation says why',
})

const meaningOf = (status: number): Meaning => MEANINGS.get(status) ?? unlisted(status)

export const statusName = (status: number): string => meaningOf(status).name

/** The outcome of a submit_sm with a status other than 0. */
export function outcomeOfStatus(status: number): Exclude<SendOutcome, { kind: 'accepted' }> {
  const { name: code, verdict } = meaningOf(status)
  return verdict === 'unsure' ? { kind: 'ambiguous', code } : { kind: 'refused', retry: verdict, code }
}

export function explainStatus(code: string): string | undefined {
  if (/^SMPP_STATUS_[0-9A-F]+$/.test(code)) return unlisted(0).explanation
  return [...MEANINGS.values()].find(({ name }) => name === code)?.explanation
}
