/** A carrier behind SOLAPI's API: it must be asked what became of a message, and its callbacks prove nothing. */
import type { Transport, TransportResult } from '../../src/ports/network'
import { answered, type Carrier, type ReceivedMessage } from './carrier'

export const VENDOR_URL = 'http://vendor.test'

export const isQuestion = ({ method, url }: Parameters<Transport['request']>[0]) =>
  method === 'GET' && url.startsWith(VENDOR_URL)

/** It lists no such message. */
export const UNHEARD_OF = answered(200, { messageList: {} })

const DELIVERED = '4000'
const FAILED = '3032'
const UNDECIDED = '3000'

export class PolledVendor {
  /** By the vendor's id of the message. */
  readonly #fates = new Map<string, string>()

  constructor(private readonly carrier: Carrier) {}

  decide(id: string, status: 'delivered' | 'failed'): void {
    if (!this.#fates.has(id)) this.#fates.set(id, status === 'delivered' ? DELIVERED : FAILED)
  }

  /** What became of a message, as far as it is decided. */
  fateOf(id: string): 'delivered' | 'failed' | undefined {
    const fate = this.#fates.get(id)
    if (fate === undefined) return undefined
    return fate === DELIVERED ? 'delivered' : 'failed'
  }

  /** What its webhook would say of a message. */
  callback(messageId: string, id: string, status: string): unknown[] {
    return [{ messageId: id, customFields: { messageId }, statusCode: status === 'delivered' ? DELIVERED : FAILED }]
  }

  /** Its API over a transport that reaches everything else. */
  over(transport: Transport): Transport {
    return {
      request: async (request) => {
        if (!request.url.startsWith(VENDOR_URL)) return transport.request(request)
        const asked = new URL(request.url).searchParams.get('messageId')
        return asked === null ? this.#send(request.body ?? '') : this.#tell(asked)
      },
    }
  }

  async #send(body: string): Promise<TransportResult> {
    const { to, text, customFields } = JSON.parse(body).message
    const message = { channel: 'sms', to, text, messageId: customFields.messageId } as ReceivedMessage
    const result = await this.carrier.receive(message)
    if (result.kind !== 'answered') return result
    const { id, code } = parse(result.body)
    if (result.status === 200 && id) return answered(200, { statusCode: '2000', messageId: id })
    return code ? answered(result.status, { errorCode: 'ValidationError' }) : result
  }

  #tell(id: string): TransportResult {
    const statusCode = this.#fates.get(id) ?? UNDECIDED
    return answered(200, { messageList: { one: { messageId: id, statusCode } } })
  }
}

function parse(body: string): { id?: string; code?: string } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}
