/** Carriers that play a script over the transport port, and remember what they took. */
import type { Transport, TransportResult } from '../../src/ports/network'
import { createVault } from '../../src/system/vault'

export interface ReceivedMessage {
  messageId: string
  channel: string
  to: string
  text: string
  from?: string
  messageType?: string
  templateCode?: string
  variables?: Record<string, string>
}

export type CarrierAnswer = (message: ReceivedMessage) => Promise<TransportResult> | TransportResult

/** A carrier at a URL; it accepts everything until told otherwise. */
export class Carrier {
  /** Every request that arrived. */
  readonly requests: ReceivedMessage[] = []
  /** Messages it took, whatever it answered. */
  readonly accepted: ReceivedMessage[] = []
  readonly headers: Array<Record<string, string>> = []
  #script: CarrierAnswer[] = []
  answer: CarrierAnswer = (message) => this.accept(message)

  /** Answers for the next requests, one each. */
  script(...answers: CarrierAnswer[]): void {
    this.#script.push(...answers)
  }

  accept(message: ReceivedMessage): TransportResult {
    this.accepted.push(message)
    return answered(200, { id: `carrier-${message.messageId}` })
  }

  receive(message: ReceivedMessage): Promise<TransportResult> | TransportResult {
    this.requests.push(message)
    return (this.#script.shift() ?? this.answer)(message)
  }

  /** The code in the last text that arrived. */
  lastCode(): string {
    return codeIn(this.requests.at(-1)?.text ?? '')
  }
}

export const codeIn = (text: string): string => /\d{6}/.exec(text)?.[0] ?? ''

export const answered = (status: number, body: unknown): TransportResult => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

/** A transport that reaches these carriers, and nothing else. */
export function transportTo(carriers: Record<string, Carrier>): Transport {
  return {
    async request({ url, body, headers }) {
      const carrier = carriers[url]
      if (!carrier) return { kind: 'not_sent', reason: 'ENOTFOUND' }
      carrier.headers.push(headers)
      return carrier.receive(JSON.parse(body ?? '{}') as ReceivedMessage)
    },
  }
}

/** For providers that speak HTTP: whatever else a provider may be given is out of order. */
export const HTTP_ONLY = {
  dial: () => {
    throw new Error('no carrier here speaks anything but HTTP')
  },
  log: { debug() {}, info() {}, warn() {}, error() {} },
  isOurs: () => true,
  vault: createVault(Buffer.alloc(32)),
  dropped() {},
  report: () => Promise.reject(new Error('an HTTP carrier pushes nothing')),
}
