/**
 * HTTP to receivers of webhooks, whose URLs strangers choose. For each request the name is resolved once, every address it
 * stands for is judged, and the socket, new or kept, leads to one that may be reached: a name that means something else
 * the next time finds nobody asking. `node:https` rather than `fetch`: it can be pinned to addresses while names are
 * verified, knows no proxy from the environment, has a limit for headers and decompresses nothing.
 */
import { lookup } from 'node:dns/promises'
import type { IncomingMessage } from 'node:http'
import { isIP, type LookupFunction } from 'node:net'
import { literalAddress, mayReach } from '../domain/address'
import { isHookHeader } from '../domain/hook-header'
import type { HookAnswer, HookFailure, HookRequest, HookTransport } from '../ports/network'
import { KeptConnections } from './kept-connections'

/** Every address of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>

/** A name may list thousands; trying them all would be a service to whoever wants ports scanned. */
const MAX_ADDRESSES = 4
const HEADERS_MAX_BYTES = 16 * 1024
/** Answers before the answer (`100 Continue`, `103 Early Hints`); each may be as long as the headers. */
const MAX_INTERIM_ANSWERS = 8
/** Read, so that a receiver can finish what it says. */
const BODY_MAX_BYTES = 64 * 1024
const BODY_KEPT_BYTES = 1024

const failed = (reason: HookFailure): HookAnswer => ({ kind: 'failed', reason })

const systemResolve: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

export function createHookTransport({
  allowedCidrs,
  resolve = systemResolve,
  ca,
  connections = new KeptConnections(),
}: {
  /** Networks the operator opens to webhooks. */
  allowedCidrs: readonly string[]
  resolve?: Resolve
  /** Certificates to trust instead of the usual authorities. */
  ca?: string
  /** Of receivers alone: who is trusted here is nobody's business elsewhere. */
  connections?: KeptConnections
}): HookTransport {
  async function deliver({ url, headers, body }: HookRequest, late: AbortSignal): Promise<HookAnswer> {
    const target = readUrl(url)
    if (!target) return failed('url')
    if (!Object.entries(headers).every(([name, value]) => isHookHeader(name, value))) return failed('header')
    const known = await unlessLate(addressesOf(target, resolve), late)
    if (known === 'late') return failed('timeout')
    if (known.length === 0) return failed('dns')
    const addresses = known.filter((address) => mayReach(address, allowedCidrs))
    if (addresses.length === 0) return { kind: 'forbidden', reason: 'address' }
    return exchange({ connections, target, addresses, headers, body, ca, late })
  }

  return {
    async post(request) {
      const late = new AbortController()
      const timer = setTimeout(() => late.abort(), request.timeoutMs)
      try {
        return await deliver(request, late.signal)
      } finally {
        clearTimeout(timer)
      }
    },
  }
}

function readUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) return undefined
  // They would become an Authorization header.
  return url.username === '' && url.password === '' ? url : undefined
}

/** None where the name is not known. */
async function addressesOf(target: URL, resolve: Resolve): Promise<readonly string[]> {
  const literal = literalAddress(target)
  if (literal !== undefined) return [literal]
  return resolve(target.hostname).catch(() => [])
}

function unlessLate<T>(work: Promise<T>, late: AbortSignal): Promise<T | 'late'> {
  const end = new Promise<'late'>((resolve) => late.addEventListener('abort', () => resolve('late'), { once: true }))
  return Promise.race([work, end])
}

/** Stands in for the resolver of the socket, whoever asks and as often as it likes. */
const pinnedTo =
  (addresses: readonly string[]): LookupFunction =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    )

/** How far a request has come, which tells what an error means. */
type Phase = 'connecting' | 'securing' | 'asking'

interface Exchange {
  connections: KeptConnections
  target: URL
  addresses: readonly string[]
  headers: Record<string, string>
  body: string
  ca: string | undefined
  late: AbortSignal
}

function exchange({ connections, target, addresses, headers, body, ca, late }: Exchange): Promise<HookAnswer> {
  const isSecure = target.protocol === 'https:'
  const payload = Buffer.from(body, 'utf8')
  return new Promise((resolve) => {
    const options = {
      method: 'POST',
      // An address is connected to as it is, a name by `lookup`; TLS asks for and verifies the one of `Host`.
      host: literalAddress(target) ?? target.hostname,
      port: target.port === '' ? (isSecure ? 443 : 80) : Number(target.port),
      path: target.pathname + target.search,
      headers: {
        ...headers,
        Host: target.host,
        'Content-Length': String(payload.length),
        'Accept-Encoding': 'identity',
      },
      lookup: pinnedTo(addresses.slice(0, MAX_ADDRESSES)),
      maxHeaderSize: HEADERS_MAX_BYTES,
      // Also where NODE_TLS_REJECT_UNAUTHORIZED says otherwise.
      rejectUnauthorized: true,
      ...(ca !== undefined && { ca }),
    }
    // Also one that was kept leads to an address that was judged for this request.
    const request = connections.request(target.origin, options, (address) => addresses.includes(address))
    const settle = (answer: HookAnswer) => {
      resolve(answer)
      // A connection that is kept is not the request's any more.
      request.destroy()
    }
    let phase: Phase = request.reusedSocket ? 'asking' : 'connecting'
    let interimAnswers = 0
    let end = (reason: HookFailure) => settle(failed(reason))
    late.addEventListener('abort', () => end('timeout'), { once: true })
    request.on('socket', (socket) => {
      if (request.reusedSocket) return
      socket.once('connect', () => {
        phase = isSecure ? 'securing' : 'asking'
      })
      socket.once('secureConnect', () => {
        phase = 'asking'
      })
    })
    request.on('error', (error) => end(reasonOf(error, phase)))
    request.on('upgrade', () => end('protocol'))
    request.on('information', () => {
      interimAnswers += 1
      if (interimAnswers > MAX_INTERIM_ANSWERS) end('oversized')
    })
    request.on('response', (response) => {
      const kept: Uint8Array[] = []
      end = () => settle(answerOf(response, kept))
      readAtMost(response, kept, () => end('reset'))
    })
    request.end(payload)
  })
}

/** Calls `ended` however the body ends. */
function readAtMost(response: IncomingMessage, kept: Uint8Array[], ended: () => void): void {
  let size = 0
  response.on('data', (chunk: Uint8Array) => {
    kept.push(chunk)
    size += chunk.length
    if (size >= BODY_MAX_BYTES) ended()
  })
  // Comes after the end, and after whatever comes instead.
  response.once('close', ended)
}

function answerOf({ statusCode, headers }: IncomingMessage, kept: readonly Uint8Array[]): HookAnswer {
  return {
    kind: 'answered',
    status: statusCode ?? 0,
    location: headers.location,
    retryAfter: headers['retry-after'],
    // A character that the cut divides is left out.
    body: new TextDecoder().decode(Buffer.concat(kept).subarray(0, BODY_KEPT_BYTES), { stream: true }),
  }
}

const TOO_LONG = new Set(['HPE_HEADER_OVERFLOW', 'HPE_CHUNK_EXTENSIONS_OVERFLOW'])

function reasonOf({ code = '' }: NodeJS.ErrnoException, phase: Phase): HookFailure {
  if (phase === 'connecting') return code === 'ECONNREFUSED' ? 'refused' : 'unreachable'
  if (phase === 'securing') return 'tls'
  if (TOO_LONG.has(code)) return 'oversized'
  return code.startsWith('HPE_') ? 'protocol' : 'reset'
}
