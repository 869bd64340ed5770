/**
 * HTTP to receivers of webhooks, whose URLs strangers choose. For each request the name is resolved once and every address is
 * checked. The socket, new or pooled, is pinned to a checked address, so that DNS rebinding has no effect. `fetch` is not used: it
 * cannot pin addresses while it verifies names, it uses proxies of the environment, and it decompresses.
 */
import type { LookupFunction } from 'node:net'
import { isIP } from '../domain/access/network'
import { literalAddress, mayReach } from '../domain/webhooks/target-address'
import { isHookHeader } from '../domain/webhooks/webhook'
import type { Clock } from '../ports/clock'
import type { HookAnswer, HookFailure, HookRequest, HookTransport } from '../ports/network'
import { systemClock } from './clock'
import { eventLoopBatch } from './event-loop-batch'
import { type ConnectionStage, type ResponseHandler, type ResponseHead, TOO_MANY_INTERIM } from './http-connection'
import { ConnectionPool } from './kept-connections'

/** Every address of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** A name may have thousands of addresses; trying them all would be a port scan for strangers. */
const MAX_ADDRESSES = 4
/** The body is read to the end, so that the receiver is not cut off. */
const BODY_MAX_BYTES = 64 * 1024
const BODY_KEPT_BYTES = 1024

const failed = (reason: HookFailure): HookAnswer => ({ kind: 'failed', reason })

const systemResolve: Resolve = async (host) => {
  const { lookup } = process.getBuiltinModule('node:dns/promises')
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

export function createHookTransport({
  resolve = systemResolve,
  ca,
  connections = new ConnectionPool(),
  clock = systemClock,
}: {
  resolve?: Resolve
  /** Certificates to trust instead of the usual authorities. */
  ca?: string
  /** A pool for receivers only, apart from carriers. */
  connections?: ConnectionPool
  /** The clock of timeouts. */
  clock?: Pick<Clock, 'elapsed' | 'after'>
} = {}): HookTransport {
  async function deliver(request: HookRequest, late: AbortSignal): Promise<HookAnswer> {
    const { url, headers, body, timeoutMs, allowedCidrs } = request
    const startedAt = clock.elapsed()
    const target = readUrl(url)
    if (!target) return failed('url')
    if (!Object.entries(headers).every(([name, value]) => isHookHeader(name, value))) return failed('header')
    const known = await unlessLate(addressesOf(target, resolve), late)
    // A blocked event loop delays the timer, too.
    if (known === 'late' || clock.elapsed() - startedAt >= timeoutMs) return failed('timeout')
    if (known.length === 0) return failed('dns')
    const addresses = known.filter((address) => mayReach(address, allowedCidrs))
    if (addresses.length === 0) return { kind: 'forbidden', reason: 'address' }
    return exchange({ connections, target, addresses, headers, body, ca, late })
  }

  return {
    async post(request) {
      const timeout = new AbortController()
      const cancel = clock.after(request.timeoutMs, () => timeout.abort())
      try {
        const answer = await deliver(request, timeout.signal)
        await eventLoopBatch.join()
        return answer
      } finally {
        cancel()
      }
    },
  }
}

function readUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined
  // Credentials in a URL would become an Authorization header.
  return url.username === '' && url.password === '' ? url : undefined
}

/** Empty where the name does not resolve. */
async function addressesOf(target: URL, resolve: Resolve): Promise<readonly string[]> {
  const literal = literalAddress(target)
  if (literal !== undefined) return [literal]
  return resolve(target.hostname).catch(() => [])
}

function unlessLate<T>(work: Promise<T>, late: AbortSignal): Promise<T | 'late'> {
  const end = new Promise<'late'>((resolve) => late.addEventListener('abort', () => resolve('late'), { once: true }))
  return Promise.race([work, end])
}

/** A `lookup` of the socket that always answers with the checked addresses. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

interface Exchange {
  connections: ConnectionPool
  target: URL
  addresses: readonly string[]
  headers: Record<string, string>
  body: string
  ca: string | undefined
  late: AbortSignal
}

function exchange({ connections, target: url, addresses, headers, body, ca, late }: Exchange): Promise<HookAnswer> {
  return new Promise((resolve) => {
    let answer: ResponseHead | undefined
    let certificateUntil: number | undefined
    const kept: Uint8Array[] = []
    let size = 0
    const failedBy = (reason: HookFailure) =>
      resolve(answer ? answerOf(answer, kept, certificateUntil) : failed(reason))
    const abort = (reason: HookFailure) => {
      connection?.abort(handler)
      failedBy(reason)
    }
    const handler: ResponseHandler = {
      head(head) {
        answer = head
        certificateUntil = connection?.certificateUntil
      },
      body(chunk) {
        kept.push(chunk)
        size += chunk.length
        if (size >= BODY_MAX_BYTES) abort('oversized')
      },
      done: () => failedBy('protocol'),
      failed: (code, stage) => failedBy(reasonOf(code, stage)),
    }
    const options = {
      // `lookup` is called for names only.
      ...(literalAddress(url) !== undefined && { host: literalAddress(url) }),
      lookup: pinnedTo(addresses.slice(0, MAX_ADDRESSES)),
      // NODE_TLS_REJECT_UNAUTHORIZED must not change this.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca }),
    }
    // A pooled connection must lead to an address that was checked for this request.
    const mayLeadTo = (address: string) => addresses.includes(address)
    const connection = connections.send({ method: 'POST', url, headers, body }, handler, options, mayLeadTo)
    late.addEventListener('abort', () => abort('timeout'), { once: true })
  })
}

function answerOf(answer: ResponseHead, kept: readonly Uint8Array[], certificateUntil: number | undefined): HookAnswer {
  return {
    kind: 'answered',
    status: answer.status,
    location: answer.header('location'),
    retryAfter: answer.header('retry-after'),
    certificateUntil,
    // `stream` drops a character that the cut divides.
    body: new TextDecoder().decode(Buffer.concat(kept).subarray(0, BODY_KEPT_BYTES), { stream: true }),
  }
}

const TOO_LONG = new Set(['HPE_HEADER_OVERFLOW', 'HPE_CHUNK_EXTENSIONS_OVERFLOW', TOO_MANY_INTERIM])

function reasonOf(code: string, stage: ConnectionStage): HookFailure {
  if (stage === 'connecting') return code === 'ECONNREFUSED' ? 'refused' : 'unreachable'
  if (stage === 'securing') return 'tls'
  if (TOO_LONG.has(code)) return 'oversized'
  return code.startsWith('HPE_') ? 'protocol' : 'reset'
}
