/** What came back over the socket, and what is wrong with it. */
import type { Shot } from './shot'

export interface Answer {
  status: number
  headers: Map<string, string>
  body: string
}

/**
 * What Bun's parser answers before there is a request, with neither body nor headers of ours: a request line or header that
 * is none, headers beyond its limit, another version of HTTP.
 */
const PARSER_REFUSALS = [400, 431, 505]

const HEAD_END = '\r\n\r\n'

/** Every complete answer, interim ones (100 Continue) left out. `raw` has one character for each byte. */
export function answersIn(raw: string, isHead: boolean): Answer[] {
  const answers: Answer[] = []
  for (let rest = raw; ; ) {
    const read = readOne(rest, isHead)
    if (!read) return answers
    if (read.answer.status >= 200) answers.push(read.answer)
    rest = rest.slice(read.length)
  }
}

function readOne(raw: string, isHead: boolean): { answer: Answer; length: number } | undefined {
  const headLength = raw.indexOf(HEAD_END)
  const [statusLine = '', ...lines] = raw.slice(0, Math.max(0, headLength)).split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |$)/.exec(statusLine)?.[1])
  if (Number.isNaN(status)) return undefined
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const start = headLength + HEAD_END.length
  const announced = isHead || status < 200 || status === 204 ? 0 : Number(headers.get('content-length') ?? 0)
  if (raw.length < start + announced) return undefined
  const body = Buffer.from(raw.slice(start, start + announced), 'latin1').toString('utf8')
  return { answer: { status, headers, body }, length: start + announced }
}

const isHead = ({ request }: Shot) => Buffer.from(request.subarray(0, 5)).toString() === 'HEAD '

export const answersTo = (shot: Shot, raw: string): Answer[] => answersIn(raw, isHead(shot))

const isParserRefusal = ({ status, headers, body }: Answer) =>
  PARSER_REFUSALS.includes(status) && body === '' && !headers.has('content-type')

/** In words; empty is well. `secrets` are texts that no answer may hold. */
export function faultsOf(shot: Shot, raw: string, secrets: readonly string[]): string[] {
  const answers = answersTo(shot, raw)
  const leaked = secrets.filter((secret) => raw.includes(secret)).map((secret) => `tells ${secret.slice(0, 12)}…`)
  const ours = shot.isBroken ? answers.filter((answer) => !isParserRefusal(answer)) : answers
  if (!shot.isBroken && answers.length !== 1) return [`${answers.length} answers: ${JSON.stringify(raw.slice(0, 200))}`]
  return [...leaked, ...ours.flatMap((answer) => faultsOfOne(answer, isHead(shot)))]
}

function faultsOfOne({ status, headers, body }: Answer, isEmpty: boolean): string[] {
  const faults: string[] = []
  if (status === 500) faults.push(`500: ${body.slice(0, 200)}`)
  if (!/^[A-Za-z0-9._:-]{8,128}$/.test(headers.get('x-request-id') ?? '')) faults.push(`${status} without a request id`)
  if (status >= 400 && !isEmpty) faults.push(...faultsOfRefusal(status, headers, body))
  else if (headers.get('content-type')?.startsWith('application/json') && !isEmpty && parsed(body) === undefined)
    faults.push(`${status} is no JSON: ${body.slice(0, 200)}`)
  return faults
}

/** What a caller must not read: our stack, or the words of a library. */
const INSIDES = /\bat [^ ]+ \(?[^ ]*:\d+|node_modules|\b(?:Type|Range|Syntax|SQLite|Validation|ORPC)Error\b|\bzod\b/i
const LONGEST_MESSAGE = 1_000

function faultsOfRefusal(status: number, headers: Map<string, string>, body: string): string[] {
  const value = parsed(body)
  const envelope = isObject(value) && isObject(value.json) ? value.json : value
  const isEnvelope =
    headers.get('content-type') === 'application/json' &&
    isObject(envelope) &&
    (isTwilios(envelope) || (typeof envelope.defined === 'boolean' && typeof envelope.code === 'string')) &&
    envelope.status === status &&
    typeof envelope.message === 'string'
  if (!isEnvelope) return [`${status} without the envelope: ${body.slice(0, 200)}`]
  const { message } = envelope as { message: string }
  if (message.length > LONGEST_MESSAGE) return [`${status} with a message of ${message.length} characters`]
  return INSIDES.test(message) ? [`${status} tells of its insides: ${message.slice(0, 200)}`] : []
}

/** An error for a client of Twilio Verify. */
const isTwilios = ({ code, more_info }: Record<string, unknown>) =>
  typeof code === 'number' && more_info === `https://www.twilio.com/docs/errors/${code}`

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The issue an answer is about, where one was made or told again. */
export function issuedIn({ status, body }: Answer): string | undefined {
  const value = status === 200 ? parsed(body) : undefined
  const said = isObject(value) && isObject(value.json) ? value.json : value
  return isObject(said) && typeof said.issueId === 'string' && 'queuedAt' in said ? said.issueId : undefined
}
