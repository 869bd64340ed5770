/** The part of the npm package `smpp` that plays the carrier in tests. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Server } from 'node:net'

  export interface PDU {
    command: string
    command_status: number
    sequence_number: number
    [field: string]: unknown
    response(fields?: Record<string, unknown>): PDU
  }

  export interface Session extends EventEmitter {
    send(pdu: PDU): boolean
    deliver_sm(fields: Record<string, unknown>, answered: (pdu: PDU) => void): boolean
    data_sm(fields: Record<string, unknown>, answered: (pdu: PDU) => void): boolean
    socket: { write(bytes: Uint8Array): boolean }
    enquire_link(answered: (pdu: PDU) => void): boolean
    close(): void
    destroy(): void
  }

  const smpp: {
    PDU: new (command: string, fields: Record<string, unknown>) => { toBuffer(): Buffer }
    createServer(options: { key?: string; cert?: string }, listener: (session: Session) => void): Server
  }
  export default smpp
}
