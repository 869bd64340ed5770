/**
 * The console's own files, under its own policy, over procedures that answer what they are told to. A server, as
 * answering in the browser would switch its cache off, and every state loads the pages again.
 */
import { consoleAsset } from '../../../src/console/assets'
import { systemRandom } from '../../../src/system/vault'
import { StubFailure } from '../support'
import type { Answers, Procedure } from './answers'

const RPC = '/console/rpc/'

export class StubbedConsole {
  /** What is not there is never answered: a page shows that it is loading. */
  answers: Answers = {}
  /** Counts what was asked; `answering`, what is being answered. */
  asked = 0
  answering = 0
  readonly #server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    fetch: async (request) => {
      this.asked++
      this.answering++
      const path = new URL(request.url).pathname
      const answer = path.startsWith(RPC) ? this.#answer(path.slice(RPC.length) as Procedure) : file(path, request)
      if (answer === undefined) {
        this.answering--
        return new Promise<Response>(() => {})
      }
      const response = await answer
      this.answering--
      return response
    },
  })

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/console`
  }

  async stop(): Promise<void> {
    await this.#server.stop(true)
  }

  #answer(procedure: Procedure): Response | undefined {
    const answer = this.answers[procedure]
    if (answer === undefined) return undefined
    if (answer instanceof StubFailure)
      return Response.json(answer.body, { status: answer.status, headers: { 'x-request-id': answer.requestId } })
    return Response.json({ json: answer })
  }
}

const file = async (path: string, request: Request) =>
  (await consoleAsset(path, request.headers.get('accept-encoding'), systemRandom)) ??
  new Response(null, { status: 404 })
