/** Vendors of challenges on loopback, each in the words of its own documentation. */
import type { Server } from 'bun'
import type { Vendor } from '../../src/abuse/rules/challenge'

/** What a vendor's secret is here. */
export const SECRET_AT_VENDOR = '0x4AAAAAAA-secret-at-the-vendor'

/** How each says it. */
const WORDS: Readonly<Record<Vendor, { wrong: string; used: string; secret: string }>> = {
  turnstile: { wrong: 'invalid-input-response', used: 'timeout-or-duplicate', secret: 'invalid-input-secret' },
  hcaptcha: { wrong: 'invalid-input-response', used: 'already-seen-response', secret: 'invalid-input-secret' },
  recaptcha: { wrong: 'invalid-input-response', used: 'timeout-or-duplicate', secret: 'invalid-input-secret' },
}

type Answer = (request: Request) => Response | Promise<Response>

/** One of them. A token that begins with `good` is right, once. */
export class ChallengeVendor {
  /** What it was asked, in order. */
  readonly forms: Array<Record<string, string>> = []
  readonly #used = new Set<string>()
  readonly #server: Server<undefined>
  /** Beside `success`, where a token is right. */
  says: Record<string, unknown> = { hostname: 'app.example.com' }
  /** Instead of what it is for. */
  answer: Answer | undefined

  constructor(readonly vendor: Vendor) {
    this.#server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => this.#receive(request) })
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/${this.vendor}/siteverify`
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
  }

  async #receive(request: Request): Promise<Response> {
    const form = Object.fromEntries(new URLSearchParams(await request.clone().text()))
    this.forms.push({ ...form, ...(request.method !== 'POST' && { method: request.method }) })
    return this.answer?.(request) ?? Response.json(this.#judge(form))
  }

  #judge({ secret = '', response = '' }: Record<string, string>): object {
    const { wrong, used, secret: wrongSecret } = WORDS[this.vendor]
    const refused = (code: string) => ({ success: false, 'error-codes': [code] })
    if (secret !== SECRET_AT_VENDOR) return refused(wrongSecret)
    if (!response.startsWith('good')) return refused(wrong)
    if (this.#used.has(response)) return refused(used)
    this.#used.add(response)
    return { success: true, challenge_ts: '2026-03-01T11:59:30Z', 'error-codes': [], ...this.says }
  }
}
