/** Notices in the console: who sees which, and that no secret of a way comes out again. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { setUpToken } from '../../src/usecases/people'
import { HANGS_AFTER_MS } from '../support/until'
import { type Furnished, World } from '../support/world'
import { ConsoleClient } from './client'
// The console is loaded with its first request, which no test should wait for.
import '../../src/console/rpc'

setDefaultTimeout(HANGS_AFTER_MS)

const PASSWORD = 'correct horse battery'
const LOOK_MS = 11_000

let world: World
let keys: Furnished
let owner: ConsoleClient

beforeEach(async () => {
  world = await World.start()
  keys = await world.furnish()
  owner = new ConsoleClient(world)
  const token = await world.run(setUpToken(world))
  await owner.call('session/setUp', { token, name: 'Ann', email: 'ann@example.com', password: PASSWORD })
})
afterEach(() => world.stop())

async function join(appIds?: string[]): Promise<ConsoleClient> {
  const { body } = await owner.call('operators/invite', { role: 'viewer', appIds })
  const client = new ConsoleClient(world)
  const person = { name: 'Bob', email: `bob${Math.random()}@example.com`, password: PASSWORD }
  await client.call('session/accept', { token: body.url.split('#')[1], ...person })
  return client
}

const kinds = async (client: ConsoleClient) =>
  (await client.call('notices/open')).body.notices.map(({ kind }: { kind: string }) => kind).sort()

test('those of the installation are kept from who sees some apps only, and so are those of other apps', async () => {
  const { body: other } = await owner.call('apps/create', { name: 'other' })
  await owner.call('wallet/setAlert', { appId: keys.appId, below: 2_000 })
  const health = { isHealthy: false, since: world.clock.now(), code: 'HTTP_401', retryAt: undefined }
  await world.run(world.store.transaction((tx) => tx.carriers.saveHealth('main', health)))
  await world.advance(LOOK_MS)
  expect(await kinds(owner)).toEqual(['carrier_down', 'low_credit'])
  expect(await kinds(await join())).toEqual(['carrier_down', 'low_credit'])
  expect(await kinds(await join([keys.appId]))).toEqual(['low_credit'])
  expect(await kinds(await join([other.appId]))).toEqual([])
  const { rows, next } = (await owner.call('notices/list', { limit: 1 })).body
  expect([rows.length, (await owner.call('notices/list', { limit: 1, after: next })).body.rows.length]).toEqual([1, 1])
})

test('the password of mail and the URL of Slack go in and never come out', async () => {
  const mail = { host: 'smtp.example', user: 'me', password: 'geheim', from: 'a@b.example', to: 'c@d.example' }
  const added = [
    await owner.call('notices/addWay', { name: 'duty', channel: 'mail', ...mail }),
    await owner.call('notices/addWay', { name: 'chat', channel: 'slack', url: 'https://hooks.example/geheim' }),
    await owner.call('notices/addWay', { name: 'pager', channel: 'webhook', url: 'https://ops.example/?t=geheim' }),
  ]
  expect(added.map(({ status, body }) => [status, body.secret?.slice(0, 6)])).toEqual([
    [200, undefined],
    [200, undefined],
    [200, 'whsec_'],
  ])
  await owner.call('notices/testWay', { wayId: added[0]?.body.wayId })
  const said = [...added, await owner.call('notices/ways'), await owner.call('audit/list', {})]
  expect(JSON.stringify(said)).not.toContain('geheim')
  expect(JSON.stringify(said.slice(3))).not.toContain(added[2]?.body.secret)
  expect(await world.place.dump()).not.toContain('geheim')
})
