/** Ory Kratos: registration and sign-in by a code, by the HTTP channel of its courier. */
import { expect } from 'bun:test'
import { join } from 'node:path'
import { ROOT } from '../binary/support'
import { freePort } from '../support/free-port'
import { ask, built, type GoSource, Running, relayed } from './support'

export const KRATOS: GoSource = {
  repository: 'https://github.com/ory/kratos',
  commit: 'b86338da04a040247a07f46100a86dcfb3875909',
  program: 'kratos',
  build: ['-tags', 'sqlite'],
}

const PHONE = '+821012345678'
const EXAMPLE = join(ROOT, 'examples/relays')

interface Example {
  courier: {
    channels: [{ request_config: { url: string; body: string; auth: { config: { value: string } } } }]
  }
}

const SCHEMA = {
  $id: 'https://example.com/person.schema.json',
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: {
    traits: {
      type: 'object',
      properties: {
        phone: {
          type: 'string',
          format: 'tel',
          'ory.sh/kratos': { credentials: { code: { identifier: true, via: 'sms' } }, verification: { via: 'sms' } },
        },
      },
      required: ['phone'],
    },
  },
}

export async function kratos(given: string | undefined, into: string, kept: (promise: string) => void) {
  const folder = await built(KRATOS, given, into)
  const relay = await relayed('kratos')
  const [own, admin] = [freePort(), freePort()]
  const url = `http://127.0.0.1:${own}`
  const place = (name: string) => join(relay.folder, name)
  await Bun.write(place('person.schema.json'), JSON.stringify(SCHEMA))
  // The example of the documentation, with this relay's address and secret.
  const { courier } = Bun.YAML.parse(await Bun.file(join(EXAMPLE, 'kratos.yml')).text()) as Example
  const [{ request_config: sent }] = courier.channels
  Object.assign(sent, { url: relay.url, body: `file://${join(EXAMPLE, 'kratos.jsonnet')}` })
  sent.auth.config.value = `Bearer ${relay.secret}`
  const config = {
    dsn: `sqlite://${place('kratos.sqlite')}?_fk=true&mode=rwc`,
    serve: {
      public: { base_url: `${url}/`, host: '127.0.0.1', port: own },
      admin: { base_url: `http://127.0.0.1:${admin}/`, host: '127.0.0.1', port: admin },
    },
    selfservice: {
      default_browser_return_url: 'http://localhost:3000/',
      methods: { password: { enabled: false }, code: { enabled: true, passwordless_enabled: true } },
      flows: { registration: { after: { code: { hooks: [{ hook: 'session' }] } } } },
    },
    identity: {
      default_schema_id: 'person',
      schemas: [{ id: 'person', url: `file://${place('person.schema.json')}` }],
    },
    secrets: { cookie: ['a secret of Kratos for this run'], cipher: ['32 characters for this run alone'] },
    courier,
  }
  await Bun.write(place('kratos.json'), JSON.stringify(config))
  const program = join(folder, 'kratos')
  const migrated = Bun.spawnSync([program, 'migrate', 'sql', '-e', '--yes', '-c', place('kratos.json')], {
    env: { ...process.env, DSN: config.dsn },
  })
  if (migrated.exitCode !== 0) throw new Error(`kratos migrate: ${migrated.stderr}`)
  const running = await Running.start(
    [program, 'serve', '--dev', '--watch-courier', '-c', place('kratos.json')],
    relay.folder,
    {},
    `${url}/health/ready`,
  )
  try {
    const flow = async (name: string) => (await ask(`${url}/self-service/${name}/api`)).body.ui.action
    const registration = await flow('registration')
    const traits = { phone: PHONE }
    expect((await ask(registration, { method: 'code', traits })).body.state).toBe('sent_email')
    const code = await relay.code(PHONE, 1)
    expect((await ask(registration, { method: 'code', traits, code })).body).toMatchObject({
      session_token: expect.any(String),
    })
    kept('a user registers by phone with the code that the carrier got')

    const login = await flow('login')
    expect((await ask(login, { method: 'code', identifier: PHONE })).body.state).toBe('sent_email')
    const second = await relay.code(PHONE, 2)
    const wrong = second === '000000' ? '000001' : '000000'
    expect(await ask(login, { method: 'code', identifier: PHONE, code: wrong })).toMatchObject({ status: 400 })
    expect((await ask(login, { method: 'code', identifier: PHONE, code: second })).body).toMatchObject({
      session_token: expect.any(String),
    })
    kept('the user signs in again')

    const text = relay.carrier.received.at(-1)?.text ?? ''
    for (let n = 0; n < 2; n++)
      expect(
        (
          await ask(
            relay.url,
            { to: PHONE, text, type: 'login_code_valid', code: second },
            { authorization: `Bearer ${relay.secret}` },
          )
        ).status,
      ).toBe(200)
    kept('the same body twice sends one text')
  } finally {
    await running.stop()
    await relay.stop()
  }
}
