/** Receivers of webhooks behind the transport port; what arrives is kept, to be verified as a customer would. */
import { verifyWebhook } from '../../client/webhook'
import type { OtpEvent } from '../../contract/event'
import type { HookAnswer, HookRequest, HookTransport } from '../../src/ports/network'

export type ReceiverAnswer = (request: HookRequest) => Promise<HookAnswer> | HookAnswer

export const receives = (
  status: number,
  more: Partial<Extract<HookAnswer, { kind: 'answered' }>> = {},
): HookAnswer => ({
  kind: 'answered',
  status,
  location: undefined,
  retryAfter: undefined,
  body: '',
  ...more,
})

export interface Arrived extends HookRequest {
  /** When, Unix milliseconds. */
  at: number
}

export class Receivers implements HookTransport {
  readonly arrived: Arrived[] = []
  #scripts = new Map<string, ReceiverAnswer[]>()
  answer: ReceiverAnswer = () => receives(200)

  constructor(private readonly now: () => number) {}

  /** Answers for the next requests to a URL, one each. */
  script(url: string, ...answers: ReceiverAnswer[]): void {
    this.#scripts.set(url, answers)
  }

  async post(request: HookRequest): Promise<HookAnswer> {
    this.arrived.push({ ...request, at: this.now() })
    return (this.#scripts.get(request.url)?.shift() ?? this.answer)(request)
  }

  at(url: string): Arrived[] {
    return this.arrived.filter((request) => request.url === url)
  }

  types(url: string): string[] {
    return this.at(url).map(({ body }) => JSON.parse(body).type)
  }
}

/** As a receiver would, with the clock of the moment it arrived. */
export const verified = ({ body, headers, at }: Arrived, secret: string): Promise<OtpEvent> =>
  verifyWebhook({ body, headers, secret, now: at })
