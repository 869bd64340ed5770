/**
 * The compose file, by the specification's schema (`schema/compose-spec.json` of github.com/compose-spec/compose-spec at
 * a08f8d5, under Apache-2.0), and by what it has to agree with.
 */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Ajv from 'ajv'
import addFormats from 'ajv-formats'
import { describeSettings } from '../../src/config'
import { VERSION } from '../../src/domain/operations/version'
import { type Json, ROOT } from '../binary/support'
import schema from './schema/compose-spec.json'

const textOf = (name: string) => readFileSync(join(ROOT, 'deploy/compose', name), 'utf8')
const text = textOf('compose.yaml')
const compose = Bun.YAML.parse(text) as Json
/** By the address that Ajv has it at. */
const DRAFT_7 = 'http://json-schema.org/draft-07/schema'
const settings = describeSettings().map(({ name }) => name)

test('it is one by its schema, which knows what it is not', () => {
  const ajv = addFormats(new Ajv({ strict: false }))
  const isRight = ajv.compile({ ...schema, $schema: DRAFT_7 })
  expect([isRight(compose), isRight.errors]).toEqual([true, null])
  const misspelt = structuredClone(compose)
  misspelt.services.watchword.read_olny = true
  expect(isRight(misspelt)).toBe(false)
})

test('each variable it needs is in the example of its environment, and each of those is needed', () => {
  const named = [...text.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name)
  const given = [...textOf('env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name)
  expect([...new Set(named)].sort()).toEqual(given.sort())
  // Nothing that is needed has a default somewhere else.
  expect(text.match(/\$(?!\{\w+:\?\})/g)).toBeNull()
  expect(textOf('env.example')).toContain(`WATCHWORD_VERSION=${VERSION}\n`)
})

test('the server has settings that there are, and believes the network of the proxy', () => {
  const { proxy, watchword } = compose.services
  const names = Object.keys(watchword.environment)
  expect(names.filter((name) => !settings.includes(name))).toEqual([])
  expect(compose.networks.front.ipam.config).toEqual([{ subnet: watchword.environment.WATCHWORD_TRUSTED_PROXIES }])
  expect(proxy.networks).toEqual(['front'])
  expect(watchword.ports).toBeUndefined()
  expect(proxy.command.at(-1)).toBe(
    `watchword:${describeSettings().find(({ name }) => name === 'WATCHWORD_PORT')?.byDefault}`,
  )
})

test('the database is reached by nobody but the server', () => {
  const { postgres } = compose.services
  expect([postgres.ports, postgres.networks, compose.networks.back]).toEqual([undefined, ['back'], { internal: true }])
})

test('the file that applies a configuration is one by the schema, with variables of the same environment', () => {
  const applying = textOf('compose.apply.yaml')
  const overlay = Bun.YAML.parse(applying) as Json
  const isRight = addFormats(new Ajv({ strict: false })).compile({ ...schema, $schema: DRAFT_7 })
  expect([isRight(overlay), isRight.errors]).toEqual([true, null])
  const named = [...applying.matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name as string)
  for (const name of named) expect(text).toContain(`\${${name}:?}`)
  const { configuration, watchword } = overlay.services
  expect(watchword.depends_on.configuration.condition).toBe('service_completed_successfully')
  expect(configuration.environment.WATCHWORD_DATABASE_URL).toBe(
    compose.services.watchword.environment.WATCHWORD_DATABASE_URL,
  )
})
