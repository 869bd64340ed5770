/**
 * One connection that speaks HTTP/1.1, one request at a time: written as a whole, its answer read by the parser of
 * `node:http`. That module's own client is not used: it takes twice the processor of all that is done here.
 */

import type { HTTPParser } from 'node:_http_common'
import type { LookupFunction, Socket } from 'node:net'
import { loadSocketPoll } from './socket-poll'

/** Of an answer, with those before it and with what follows a body. */
const HEADERS_MAX_BYTES = 16 * 1024
/** Answers before the answer (`100 Continue`, `103 Early Hints`); each may be as long as the headers. */
const MAX_INTERIM_ANSWERS = 8
/** The code of an answer that more than `MAX_INTERIM_ANSWERS` came before. */
export const TOO_MANY_INTERIM = 'HPE_TOO_MANY_INTERIM'

/** What is asked of a URL. */
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

/** How a connection is made, beside what the URL says. */
export interface ConnectionOptions {
  host?: string
  /** Which TLS asks for and verifies, instead of the URL's. */
  servername?: string
  lookup?: LookupFunction
  rejectUnauthorized?: boolean
  ca?: string
}

/** How far a connection has come, which tells what an error means. */
export type ConnectionStage = 'connecting' | 'securing' | 'asking'

export class ResponseHead {
  constructor(
    readonly status: number,
    /** Names and values in turns. */
    private readonly pairs: readonly string[],
  ) {}

  /** By its name in small letters. Of one that is there twice the first. */
  header(name: string): string | undefined {
    for (let at = 0; at < this.pairs.length; at += 2) {
      const said = this.pairs[at] ?? ''
      if (said.length === name.length && said.toLowerCase() === name) return this.pairs[at + 1]
    }
    return undefined
  }
}

/** Of one request. `done` or `failed` is the last call. */
export interface ResponseHandler {
  head(head: ResponseHead): void
  body(chunk: Uint8Array): void
  done(): void
  /** `code` as of `node:net`, or `HPE_…` for what is not HTTP. */
  failed(code: string, stage: ConnectionStage): void
}

/** Who decides how long a connection lasts. */
export interface ConnectionOwner {
  /** It has its descriptor. */
  opened(): void
  /** Asked after an answer that leaves it open, as far as HTTP goes. */
  mayKeep(answer: ResponseHead): boolean
  /** No answer has begun to a request on a connection that had served another one. */
  unanswered(): void
  closed(): void
}

/** Of a request: it waits for no answer, or was answered; or more came than an answer. */
type RequestProgress = 'idle' | 'waiting' | 'answering' | 'answered' | 'overrun'

export class HttpConnection {
  readonly #socket: Socket
  readonly #parser: HTTPParser
  stage: ConnectionStage = 'connecting'
  #progress: RequestProgress = 'idle'
  #interimAnswers = 0
  #isUsed = false
  #handler: ResponseHandler | undefined
  /** What is written once it is open. */
  #unwritten: Uint8Array | undefined
  #head: ResponseHead | undefined
  #staysOpen = false

  constructor(
    url: OriginAddress,
    options: ConnectionOptions,
    /** Whether it is to serve more than one request. */
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

  /** The descriptor of its socket. It is undefined when the socket is closed, or when the runtime does not tell (docs/internals.md). */
  get descriptor(): number | undefined {
    const { _handle } = this.#socket as Socket & { _handle?: { fd?: number } | null }
    return _handle?.fd
  }

  /** Nothing has come on it, and no end. A connection that is not quiet is not used any more. */
  get isQuiet(): boolean {
    return this.descriptor !== undefined && loadSocketPoll()(this.descriptor)
  }

  send(request: HttpRequest, handler: ResponseHandler): void {
    const bytes = serialize(request, this.isKeptAlive)
    // Afresh: what came behind a body may have ended the connection for it.
    this.#begin()
    this.#handler = handler
    this.#progress = 'waiting'
    this.#interimAnswers = 0
    this.#head = undefined
    if (this.stage === 'asking') this.#socket.write(bytes)
    else this.#unwritten = bytes
  }

  /** The connection goes with what is asked on it; nothing is told any more. Nothing happens once that has ended. */
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
    // Unless it was given up meanwhile.
    if (this.#handler !== handler) return
    if (error instanceof Error) this.#fail((error as NodeJS.ErrnoException).code ?? error.name)
    else this.#settle()
  }

  /** The end of some answers is that of the connection. */
  #ended(): void {
    if (!this.#handler) return
    this.#parser.finish()
    this.#staysOpen = false
    this.#settle()
    this.#fail('ECONNRESET')
  }

  /** If the answer is complete. */
  #settle(): void {
    const handler = this.#handler
    if (!handler || (this.#progress !== 'answered' && this.#progress !== 'overrun')) return
    // Who has answered early may never read the rest of the request.
    const isDone = this.#progress === 'answered' && this.#staysOpen && this.#socket.writableLength === 0
    const isKept = isDone && this.#head && this.owner.mayKeep(this.#head)
    this.#handler = undefined
    this.#progress = 'idle'
    this.#isUsed = true
    // For good: whoever asks has a timer.
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
    // Of many headers, and of those behind a body.
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

/** They are loaded with the first connection that needs them, or by a warm-up: a start does not wait for them. */
const httpParser = (): Parsing => (loaded ??= process.getBuiltinModule('node:_http_common') as Parsing)
const nodeNet = () => process.getBuiltinModule('node:net')
const nodeTls = () => process.getBuiltinModule('node:tls')

const SAMPLE = 'HTTP/1.1 201 Created\r\nX-Sample: yes\r\nContent-Length: 2\r\n\r\nok'

/** Throws where the runtime's parser is not what is relied on here (docs/internals.md): a start shows it, and not the first message. */
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

/** Loads what the first message needs. */
export function warmUpConnections(): void {
  httpParser()
  nodeNet()
  nodeTls()
  loadSocketPoll()
}

/** Names are verified by TLS, and asked for where it is a name. */
function open({ protocol, hostname, port }: OriginAddress, options: ConnectionOptions): Socket {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'https:') return nodeNet().connect({ host, port: Number(port || 80), ...options })
  return nodeTls().connect({ host, port: Number(port || 443), ALPNProtocols: ['http/1.1'], ...options })
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Said here, whatever else is said of them. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding', 'accept-encoding'])

/** Throws a TypeError for a header that would be something else. Of one that is there twice the last counts. */
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
