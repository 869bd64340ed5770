/** What an operator's receiver gets of the binary when an incident opens, and a customer's does not. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Webhook } from 'standardwebhooks'
import { verifyWebhookSignature } from '../../client/webhook'
import { EVENT_TYPES } from '../../contract/event'
import { HANGS_AFTER_MS, until } from '../support/until'
import { released } from './compiled'
import { newFolder, type Program, runJson, Server, StubCarrier } from './support'

setDefaultTimeout(HANGS_AFTER_MS)

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const REFUSED = 20

/** Only this one is open to the webhooks of customers. */
const CUSTOMERS = '127.0.0.2'

/** On loopback: it keeps what comes, and takes it. */
class Receiver {
  readonly received: Array<{ headers: Headers; body: string }> = []
  readonly #server: Bun.Server<undefined>

  constructor(private readonly host: string) {
    this.#server = Bun.serve({
      hostname: host,
      port: 0,
      fetch: async (request) => {
        this.received.push({ headers: request.headers, body: await request.text() })
        return new Response()
      },
    })
  }

  get url(): string {
    return `http://${this.host}:${this.#server.port}/hook`
  }

  get types(): string[] {
    return this.received.map(({ body }) => JSON.parse(body).type)
  }

  stop = () => this.#server.stop(true)
}

const folder = newFolder()
const carrier = new StubCarrier()
const [operators, customers] = [new Receiver('127.0.0.1'), new Receiver(CUSTOMERS)]
let program: Program
let server: Server

beforeAll(async () => {
  program = await released(folder.path, {
    WATCHWORD_WEBHOOK_ALLOW_HTTP: 'true',
    WATCHWORD_WEBHOOK_ALLOW_CIDR: `${CUSTOMERS}/32`,
    WATCHWORD_OPERATOR_WEBHOOK_URL: operators.url,
    WATCHWORD_OPERATOR_WEBHOOK_SECRET: SECRET,
  })
  server = await Server.start(program)
})
afterAll(async () => {
  await server.stop('SIGKILL')
  await carrier.stop()
  await Promise.all([operators.stop(), customers.stop()])
  folder.remove()
})

test('goes also to an address that is closed to customers, signed with the operator’s secret, and nothing of it goes to a customer', async () => {
  const { appId } = await runJson(program, 'app', 'create', 'shop')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', '10')
  await runJson(program, 'provider', 'set', 'main', '--type', 'http', '--channel', 'sms', '--url', carrier.url)
  await runJson(program, 'app', 'protect', appId, '--cap', 'sk:country:messages:hour=1')
  const hook = ['--app', appId, '--mode', 'live', '--url', customers.url, '--events', EVENT_TYPES.join()]
  await runJson(program, 'webhook', 'add', ...hook)
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')

  expect((await server.issue(key, '010-2000-1000')).status).toBe(200)
  for (let n = 0; n < REFUSED; n++) expect((await server.issue(key, `010-2000-${2_000 + n}`)).status).toBe(429)
  await until(() => operators.received.length > 0, 'the operator to be told')
  const [{ headers, body } = { headers: new Headers(), body: '' }] = operators.received
  expect(headers.get('content-type')).toBe('application/json')
  await verifyWebhookSignature({ secret: SECRET, body, headers })
  const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature']
  const standard = Object.fromEntries(names.map((name) => [name, headers.get(name) ?? '']))
  expect(new Webhook(SECRET).verify(body, standard)).toMatchObject({
    type: 'incident.opened',
    data: { appId, keyKind: 'sk', country: 'KR', rules: ['cap'] },
  })
  expect(() => new Webhook(SECRET).verify(body.replace('"KR"', '"GB"'), standard)).toThrow()

  // Its own events a customer gets: by then it would have that one.
  await until(() => customers.types.includes('otp.sent'), 'the customer to be told of a code')
  expect(customers.types.filter((type) => !type.startsWith('otp.'))).toEqual([])
  expect(operators.types.filter((type) => !type.startsWith('incident.'))).toEqual([])
})
