/** Who can be asked for codes, each on a database of its own and delivering to a given carrier. */
import { Books } from './books'
import type { Sender } from './code-round'
import { furnish } from './furnish'
import { fromSource, type Service, serveCommand } from './processes'

export type Start = (command: string[]) => Promise<Service>

/** Where it keeps its data, where its messages go, and how many active issues it finds. */
export interface Site {
  dir: string
  carrier: Service
  issues?: number
}

export const AT_FIRST = { first: { request: 1, verified: 0 }, supply: { base: 0, count: 0 } }

const sendUrl = ({ url }: Service) => `${url}/send`

export const watchword = (start: Start, site: Site) => withBooks(start, site, serveCommand)

export const pipelineFloor = (start: Start, site: Site) =>
  withBooks(start, site, (dir, appId) =>
    fromSource('bench/contenders/pipeline.ts', '--data', dir, '--app', appId, '--carrier', sendUrl(site.carrier)),
  )

async function withBooks(
  start: Start,
  { dir, carrier, issues = 100 }: Site,
  command: (dir: string, appId: string) => string[],
): Promise<Sender> {
  const { appId, key, supply } = await furnish(dir, { issues, carrierUrl: sendUrl(carrier) })
  const { url, pid } = await start(command(dir, appId))
  const target = { url, wire: 'rest', key } as const
  return { ...AT_FIRST, target, supply, carrier, pids: [pid], books: new Books(dir), tellsHealth: true }
}

export async function betterAuth(start: Start, { dir, carrier }: Site): Promise<Sender> {
  const script = 'bench/contenders/better-auth.ts'
  const { url, pid } = await start(fromSource(script, '--data', dir, '--carrier', sendUrl(carrier)))
  return { ...AT_FIRST, target: { url, wire: 'better-auth', key: '' }, carrier, pids: [pid] }
}
