/**
 * One HTTP/1.1 connection, one request at a time. A request is written as a whole; the response is read by the parser of `node:http`.
 * The client of that module is not used, since it takes twice as much of the processor.
 */
import type { HTTPParser } from 'node:_http_common'
import type { LookupFunction, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { loadSocketPoll } from './socket-poll'

/** For all headers of a response, with interim responses and trailers. */
const HEADERS_MAX_BYTES = 16 * 1024
/** Interim responses (`100 Continue`, `103 Early Hints`); each may be as long as the headers. */
const MAX_INTERIM_ANSWERS = 8
/** The error code after more than `MAX_INTERIM_ANSWERS`. */
export const TOO_MANY_INTERIM = 'HPE_TOO_MANY_INTERIM'

/** The parts of a URL that a request needs. */
export type OriginAddress = Pick<
  URL,
  'origin' | 'protocol' | 'host' | 'hostname' | 'port' | 'pathname' | 'search' | 'username' | 'password'
>

export interface HttpRequest {
  method: string
  url: OriginAddress
  headers: Readonly<Record<string, string>>
  body?: string | undefined
}

/** Options of a connection beside its URL. */
export interface ConnectionOptions {
  host?: string
  /** The name that TLS asks for and verifies, instead of the URL's. */
  servername?: string
  lookup?: LookupFunction
  rejectUnauthorized?: boolean
  ca?: string
}

/** The progress of a connection, which decides what an error means. */
export type ConnectionStage = 'connecting' | 'securing' | 'asking'

export class ResponseHead {
  constructor(
    readonly status: number,
    /** Names and values alternate. */
    private readonly pairs: readonly string[],
  ) {}

  /** `name` is in lower case. The first of repeated headers counts. */
  header(name: string): string | undefined {
    for (let at = 0; at < this.pairs.length; at += 2) {
      const said = this.pairs[at] ?? ''
      if (said.length === name.length && said.toLowerCase() === name) return this.pairs[at + 1]
    }
    return undefined
  }
}

/** Receives the response to one request. `done` or `failed` is the last call. */
export interface ResponseHandler {
  head(head: ResponseHead): void
  body(chunk: Uint8Array): void
  done(): void
  /** `code` as of `node:net`, or `HPE_…` for what is not HTTP. */
  failed(code: string, stage: ConnectionStage): void
}

/** The pool that decides how long a connection is kept. */
export interface ConnectionOwner {
  /** The socket has its descriptor. */
  opened(): void
  /** Called after a response that lets the connection stay open. */
  mayKeep(answer: ResponseHead): boolean
  /** A request on a reused connection failed before a response began. */
  unanswered(): void
  closed(): void
}

/** `overrun`: more arrived than the response. */
type RequestProgress = 'idle' | 'waiting' | 'answering' | 'answered' | 'overrun'

export class HttpConnection {
  readonly #socket: Socket
  readonly #parser: HTTPParser
  stage: ConnectionStage = 'connecting'
  #progress: RequestProgress = 'idle'
  #interimAnswers = 0
  #isUsed = false
  #handler: ResponseHandler | undefined
  /** The request, until the connection is open. */
  #unwritten: Uint8Array | undefined
  #head: ResponseHead | undefined
  #staysOpen = false
  #certificateUntil: number | undefined

  constructor(
    url: OriginAddress,
    options: ConnectionOptions,
    /** Whether the connection may serve further requests. */
    private readonly isKeptAlive: boolean,
    private readonly owner: ConnectionOwner,
  ) {
    const isSecure = url.protocol === 'https:'
    this.#socket = open(url, options)
    this.#parser = this.#createParser()
    this.#socket.setNoDelay(true)
    this.#socket.once('connect', () => {
      owner.opened()
      if (isSecure) this.stage = 'securing'
      else this.#opened()
    })
    if (isSecure) this.#socket.once('secureConnect', () => this.#opened())
    this.#socket.on('data', (chunk) => this.#read(chunk))
    this.#socket.on('end', () => this.#ended())
    this.#socket.on('error', ({ code, name }: NodeJS.ErrnoException) => this.#fail(code ?? name))
    this.#socket.once('close', () => {
      this.#fail('ECONNRESET')
      owner.closed()
    })
  }

  get address(): string | undefined {
    return this.#socket.remoteAddress
  }

  /** When the certificate of the other side expires, Unix milliseconds; undefined without TLS. */
  get certificateUntil(): number | undefined {
    this.#certificateUntil ??= Date.parse((this.#socket as Partial<TLSSocket>).getPeerCertificate?.().valid_to ?? '')
    return Number.isNaN(this.#certificateUntil) ? undefined : this.#certificateUntil
  }

  /** The descriptor of the socket; undefined after it is closed, or where the runtime does not reveal it (docs/internals.md). */
  get descriptor(): number | undefined {
    const { _handle } = this.#socket as Socket & { _handle?: { fd?: number } | null }
    return _handle?.fd
  }

  /** Neither data nor the end has arrived. Only a quiet connection may be reused. */
  get isQuiet(): boolean {
    return this.descriptor !== undefined && loadSocketPoll()(this.descriptor)
  }

  send(request: HttpRequest, handler: ResponseHandler): void {
    const bytes = serialize(request, this.isKeptAlive)
    // Data behind the last response may have left the parser in a final state.
    this.#begin()
    this.#handler = handler
    this.#progress = 'waiting'
    this.#interimAnswers = 0
    this.#head = undefined
    if (this.stage === 'asking') this.#socket.write(bytes)
    else this.#unwritten = bytes
  }

  /** Closes the connection of a request in progress; its handler is not called again. Does nothing after the request has ended. */
  abort(handler: ResponseHandler): void {
    if (this.#handler === handler) this.#abort()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #opened(): void {
    this.stage = 'asking'
    if (this.#unwritten) this.#socket.write(this.#unwritten)
    this.#unwritten = undefined
  }

  #read(chunk: Uint8Array): void {
    const handler = this.#handler
    if (!handler) {
      this.destroy()
      return
    }
    const error = this.#parser.execute(chunk)
    // The handler may have aborted meanwhile.
    if (this.#handler !== handler) return
    if (error instanceof Error) this.#fail((error as NodeJS.ErrnoException).code ?? error.name)
    else this.#settle()
  }

  /** A response without a length ends with the connection. */
  #ended(): void {
    if (!this.#handler) return
    this.#parser.finish()
    this.#staysOpen = false
    this.#settle()
    this.#fail('ECONNRESET')
  }

  /** Ends the request if the response is complete. */
  #settle(): void {
    const handler = this.#handler
    if (!handler || (this.#progress !== 'answered' && this.#progress !== 'overrun')) return
    // A server that answered early may never read the rest of the request, so the connection cannot be reused.
    const isDone = this.#progress === 'answered' && this.#staysOpen && this.#socket.writableLength === 0
    const isKept = isDone && this.#head && this.owner.mayKeep(this.#head)
    this.#handler = undefined
    this.#progress = 'idle'
    this.#isUsed = true
    // An idle connection must not keep the process alive; a request in progress has a timer that does.
    if (isKept) this.#socket.unref()
    else this.destroy()
    handler.done()
  }

  #fail(code: string): void {
    const handler = this.#handler
    this.#abort()
    handler?.failed(code, this.stage)
  }

  #abort(): void {
    if (this.#handler && this.#isUsed && !this.#head) this.owner.unanswered()
    this.#handler = undefined
    this.destroy()
  }

  #begin(): void {
    this.#parser.initialize(httpParser().HTTPParser.RESPONSE, this, HEADERS_MAX_BYTES)
  }

  #createParser(): HTTPParser {
    const { HTTPParser } = httpParser()
    const parser = new HTTPParser()
    let early: string[] = []
    parser[HTTPParser.kOnMessageBegin] = () => {
      early = []
      if (this.#progress === 'answered') this.#progress = 'overrun'
    }
    // Called for long header lists, and for trailers.
    parser[HTTPParser.kOnHeaders] = (pairs) => void early.push(...pairs)
    parser[HTTPParser.kOnHeadersComplete] = (
      _major,
      _minor,
      pairs,
      _method,
      _url,
      status,
      _text,
      isOther,
      staysOpen,
    ) => {
      if (this.#progress !== 'waiting') return 0
      if (isOther) this.#fail('HPE_UPGRADE')
      else if (status < 200) {
        this.#interimAnswers += 1
        if (this.#interimAnswers > MAX_INTERIM_ANSWERS) this.#fail(TOO_MANY_INTERIM)
      } else {
        this.#progress = 'answering'
        this.#staysOpen = staysOpen
        this.#head = new ResponseHead(status, pairs ?? [...early])
        this.#handler?.head(this.#head)
      }
      return 0
    }
    parser[HTTPParser.kOnBody] = (chunk) => {
      if (this.#progress === 'answering') this.#handler?.body(chunk)
    }
    parser[HTTPParser.kOnMessageComplete] = () => {
      if (this.#progress === 'answering') this.#progress = 'answered'
    }
    return parser
  }
}

type Parsing = typeof import('node:_http_common')
let loaded: Parsing | undefined

/** Loaded by the first connection or a warm-up, so that a start does not wait. */
const httpParser = (): Parsing => (loaded ??= process.getBuiltinModule('node:_http_common') as Parsing)
const nodeNet = () => process.getBuiltinModule('node:net')
const nodeTls = () => process.getBuiltinModule('node:tls')

const SAMPLE = 'HTTP/1.1 201 Created\r\nX-Sample: yes\r\nContent-Length: 2\r\n\r\nok'

/** Throws where the runtime's parser differs from what is used here (docs/internals.md), so that a start fails instead of the first message. */
export function assertParses(): void {
  const { HTTPParser } = httpParser()
  const parser = new HTTPParser()
  let read = ''
  parser.initialize(HTTPParser.RESPONSE, parser, HEADERS_MAX_BYTES)
  parser[HTTPParser.kOnHeadersComplete] = (_major, _minor, pairs, _method, _url, status) => {
    read = `${status} ${pairs}`
    return 0
  }
  parser[HTTPParser.kOnBody] = (chunk) => {
    read += ` ${Buffer.from(chunk)}`
  }
  parser[HTTPParser.kOnMessageComplete] = () => {
    read += '.'
  }
  parser.execute(Buffer.from(SAMPLE))
  if (read !== '201 X-Sample,yes,Content-Length,2 ok.')
    throw new Error(
      'This runtime reads HTTP in another way than this release expects: use the version of Bun that package.json names',
    )
}

/** Loads the modules that the first message needs. */
export function warmUpConnections(): void {
  httpParser()
  nodeNet()
  nodeTls()
  loadSocketPoll()
}

function open({ protocol, hostname, port }: OriginAddress, options: ConnectionOptions): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:') return nodeNet().connect({ host, port: Number(port || 80), ...options })
  // TLS names a host without the dot that ends it: RFC 6066, 3.
  const named = host.endsWith('.') ? { servername: host.slice(0, -1) } : {}
  return nodeTls().connect({ host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...named, ...options })
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Headers that the caller cannot set. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'accept-encoding'])

/** Throws a TypeError for a header that would break the message. The last of repeated headers counts. */
function serialize({ method, url, headers, body = '' }: HttpRequest, isKeptAlive: boolean): Uint8Array {
  const lines = new Map<string, string>()
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (!NAME.test(name) || !VALUE.test(value)) throw new TypeError('A header holds what no header may')
    lines.set(name.toLowerCase(), `${name}: ${value}\r\n`)
  }
  let given = ''
  for (const [name, line] of lines) if (!OWN_HEADERS.has(name)) given += line
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\n`
  if (!lines.has('host')) head += `Host: ${url.host}\r\n`
  if (!lines.has('authorization')) head += credentialsIn(url)
  if (!lines.has('connection')) head += `Connection: ${isKeptAlive ? 'keep-alive' : 'close'}\r\n`
  const length = Buffer.byteLength(body)
  if (method !== 'GET' || length > 0) head += `Content-Length: ${length}\r\n`
  head += `Accept-Encoding: identity\r\n${given}\r\n`
  const bytes = Buffer.allocUnsafe(head.length + length)
  bytes.write(head, 'latin1')
  bytes.write(body, head.length)
  return bytes
}

function credentialsIn({ username, password }: OriginAddress): string {
  if (username === '' && password === '') return ''
  const plain = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return `Authorization: Basic ${Buffer.from(plain).toString('base64')}\r\n`
}
