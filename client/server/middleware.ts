/** The verification backend for Node's requests: Express, Connect, or `node:http`. */
import { answerTo, type BackendOptions } from './backend'
import { readJson } from './body'

/** A request of `node:http`, or of a framework built on it. */
export interface NodeRequest extends AsyncIterable<Uint8Array | string> {
  method?: string | undefined
  url?: string | undefined
  headers: Readonly<Record<string, string | string[] | undefined>>
  socket: { remoteAddress?: string | undefined }
  /** Express sets it by `trust proxy`. */
  ip?: string | undefined
  /** Set where a body parser ran before. */
  body?: unknown
}

export interface NodeResponse {
  headersSent: boolean
  writeHead(status: number, headers: Record<string, string>): unknown
  end(body: string): unknown
}

export interface NodeVisit<Req, Res> {
  req: Req
  res: Res
}

export interface VerificationMiddlewareOptions<Req extends NodeRequest, Res extends NodeResponse>
  extends BackendOptions<NodeVisit<Req, Res>, void> {
  /** The end user's address, for limits; `req.ip` of Express, or the socket's, when omitted. */
  clientIp?: (req: Req) => string | undefined
}

/**
 * Answers `POST …/issue` and `POST …/verify` of a page; give it a path of its own.
 *
 * ```ts
 * app.use('/phone', createVerificationMiddleware({ otp, purpose: 'signup', onVerified: ({ phoneNumber }, { req }) => { … } }))
 * ```
 */
export function createVerificationMiddleware<Req extends NodeRequest, Res extends NodeResponse>(
  options: VerificationMiddlewareOptions<Req, Res>,
): (req: Req, res: Res, next?: (error?: unknown) => void) => void {
  const addressOf = options.clientIp ?? (({ ip, socket }: Req) => ip ?? socket.remoteAddress)

  async function answer(req: Req, res: Res): Promise<void> {
    const { status, body, retryAfterMs } = await answerTo(options, {
      ...{ visit: { req, res }, method: req.method ?? '', path: (req.url ?? '').replace(/[?#].*$/, '') },
      contentType: String(req.headers['content-type'] ?? ''),
      clientIp: addressOf(req),
      body: async () => req.body ?? (await readJson(req)),
    })
    if (res.headersSent) return
    const waits = retryAfterMs !== undefined && { 'retry-after': String(Math.ceil(retryAfterMs / 1_000)) }
    res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store', ...waits })
    res.end(JSON.stringify(body))
  }

  return (req, res, next) => {
    answer(req, res).catch((error: unknown) => {
      if (next) next(error)
      else throw error
    })
  }
}
