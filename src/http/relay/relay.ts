/** `POST /relay/<source>/<relay id>`: a platform hands over a code to deliver. Outside of `/v1`. Decisions: "Relays". */

import { activeSecrets, RELAY_SOURCES, type RelaySource } from '../../domain/relays/relay'
import type { Origin } from '../../domain/shared/addressed'
import { Refusal } from '../../domain/shared/error'
import type { IssueDependencies } from '../../usecases/issue-code'
import { relayCode } from '../../usecases/relay-code'
import { asRefusal, fromRefusal } from '../errors'
import { Json, readText } from '../json'
import { SeenSignatures } from './signatures'
import { FORMATS, fieldsOf, refusedAs, takenAs } from './sources'

export const RELAY_PREFIX = '/relay/'

/** The answer in the platform's own words, and the refusal for telemetry. */
export interface RelayAnswer {
  response: Json
  refusal?: Refusal
}

export type AnswerRelay = (
  request: Request,
  path: string,
  from: { clientIp: string; origin: Origin },
) => Promise<RelayAnswer>

/** Throws `not_found` for a path that is none, and what is unexpected. */
export function createRelays(deps: IssueDependencies): AnswerRelay {
  const seen = new SeenSignatures()
  return (request, path, from) => answer({ ...deps, seen }, request, path, from)
}

type RelayDependencies = IssueDependencies & { seen: SeenSignatures }

async function answer(
  deps: RelayDependencies,
  ...[request, path, from]: Parameters<AnswerRelay>
): Promise<RelayAnswer> {
  const [source = '', relayId = '', ...more] = path.slice(RELAY_PREFIX.length).split('/')
  if (request.method !== 'POST' || !isSource(source) || more.length > 0)
    throw new Refusal('not_found', 'No such path or method')
  try {
    return { response: await taken(deps, request, { source, relayId }, from) }
  } catch (error) {
    const refusal = asRefusal(error)
    if (!refusal) throw error
    // Without the link of our own errors: some platforms show the message to whoever signs in.
    const { message, detail } = refusal
    const said = refusedAs(source, { status: fromRefusal(refusal).status, message, param: detail.param })
    return { refusal, response: new Json(said.status, said.body, undefined, refusal.detail.retryAfterMs) }
  }
}

const isSource = (source: string): source is RelaySource => RELAY_SOURCES.some((known) => known === source)

async function taken(
  deps: RelayDependencies,
  request: Request,
  { source, relayId }: { source: RelaySource; relayId: string },
  from: { clientIp: string; origin: Origin },
): Promise<Json> {
  const now = deps.clock.now()
  const received = { headers: request.headers, body: await readText(request), now }
  const format = FORMATS[source]
  const relay = await deps.store.read.relays.find(relayId)
  const secrets = relay?.source === source ? activeSecrets(relay, now) : []
  // One comparison also where there is no such relay, so that the time tells nothing.
  const [proof] = (secrets.length > 0 ? secrets : ['']).flatMap((secret) => format.proves(received, secret) ?? [])
  if (!relay || secrets.length === 0 || !proof)
    throw new Refusal('unauthorized', 'The secret or signature of this request is wrong')
  if (!deps.seen.isNew(proof, now)) throw new Refusal('unauthorized', 'This request was received before')
  const relayed = format.read(fieldsOf(received), received)
  if (!relayed) return new Json(200, {})
  const { issueId } = await relayCode(deps, relay, relayed, from.origin)
  const said = takenAs(source, issueId)
  return new Json(said.status, said.body)
}
