/** A server on a copy, that reaches nobody: no job is looked at, and whatever would send is refused. */
import { createApp } from '../../app'
import type { Issue } from '../../domain/codes/issue'
import { ROUTE_PATTERNS } from '../../http/route-table'
import type { Dial, HookTransport, Transport } from '../../ports/network'
import { watchDescriptors } from '../../system/descriptors'
import { listen } from '../../system/listen'
import { systemPasswords } from '../../system/passwords'
import { systemRandom } from '../../system/random'
import { createTelemetry } from '../../system/telemetry'
import * as administer from '../../usecases/administer'
import { Failure } from '../failure'
import { adminOf, type Opened } from '../open'

export interface DrillFindings {
  /** The newest live issue of all, where there is one. */
  issueId?: string
}

/** Throws a `Failure` where an answer is not what the database holds. Closes the store. */
export async function ask(opened: Opened): Promise<DrillFindings> {
  const descriptors = watchDescriptors(opened.log)
  // It is never told to start, so nothing runs in it but requests.
  const app = createApp(opened.config, {
    ...{ ...opened, fleet: undefined, random: systemRandom, descriptors, passwords: systemPasswords },
    ...{
      transport: NOBODY,
      toOperator: NOBODY,
      dial: noDial,
      hooks: NO_HOOKS,
      backups: () => ({ made: [] }),
      telemetry: createTelemetry(opened),
      schedule: () => () => {},
    },
  })
  const listener = listen({ host: '127.0.0.1', port: 0, fetch: app.fetch, routePatterns: ROUTE_PATTERNS, descriptors })
  try {
    const server = new DrillQuestions(listener.url)
    await server.get('/healthz')
    const issue = await newestIssue(opened)
    const appId = issue?.appId ?? (await opened.store.read.apps.all())[0]?.appId
    return appId === undefined ? {} : await askOf(appId, issue, { ...opened, server })
  } finally {
    await listener.stop(0)
    await app.stop()
  }
}

const NOBODY: Transport = { request: async () => ({ kind: 'not_sent', reason: 'drill' }) }
const NO_HOOKS: HookTransport = { post: async () => ({ kind: 'forbidden', reason: 'address' }) }
const noDial: Dial = (_, { closed }) => {
  queueMicrotask(() => closed('drill'))
  return { write() {}, unwrittenBytes: () => 0, destroy() {} }
}

async function newestIssue({ store: { read }, clock }: Opened): Promise<Issue | undefined> {
  const found: Issue[] = []
  for (const { appId } of await read.apps.all())
    found.push(...(await read.issues.page({ appId, mode: 'live' }, { limit: 1 }, clock.now())))
  return found.toSorted((a, b) => b.createdAt - a.createdAt)[0]
}

/** As its backend would, with a key that only the copy knows. */
async function askOf(
  appId: string,
  issue: Issue | undefined,
  { server, ...opened }: Opened & { server: DrillQuestions },
): Promise<DrillFindings> {
  const key = await keyOf(appId, opened)
  const { balance } = await server.get('/v1/balance', key)
  const wallet = await opened.store.read.wallets.find(appId)
  assertSame('balance', balance, wallet?.balance ?? 0)
  if (!issue) return {}
  const { issueId } = issue
  const status = await server.get(`/v1/status?issueId=${issueId}`, key)
  assertSame('newest issue', status.issueId, issueId)
  return { issueId }
}

async function keyOf(appId: string, opened: Opened): Promise<string> {
  const deps = adminOf(opened)
  // There may be as many as an app can have.
  const [old] = await opened.store.read.keys.ofApp(appId)
  if (old) await administer.revokeKey(deps, old.keyId)
  return (await administer.createKey(deps, { appId, kind: 'sk', mode: 'live' })).key
}

function assertSame(what: string, answered: unknown, held: unknown): void {
  if (answered !== held)
    throw new Failure('damaged_database', `Of the ${what} a server on it says ${answered}, not ${held}.`)
}

class DrillQuestions {
  constructor(private readonly url: string) {}

  async get(path: string, key?: string): Promise<Record<string, unknown>> {
    const headers = new Headers(key === undefined ? {} : { authorization: `Bearer ${key}` })
    // A connection that is kept would be waited for.
    const response = await fetch(this.url + path, { headers, keepalive: false })
    if (response.status !== 200)
      throw new Failure('damaged_database', `A server on it answers ${path} with ${response.status}.`)
    return (await response.json()) as Record<string, unknown>
  }
}
