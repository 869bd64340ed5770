/** The rules that `watchword conformance` holds any server to, over both wires and in both modes. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { Broken, type CallOptions, expectThat, type TestedServer } from '../../src/conformance/rule'
import { RULES } from '../../src/conformance/rules'
import { createApp } from '../../src/usecases/administer'
import { type Furnished, WIRES, type Wire, World } from '../support/world'

const MODES = ['test', 'live'] as const

describe.each(WIRES.flatMap((wire) => MODES.map((mode) => [wire, mode] as const)))(
  'over %s in %s mode',
  (wire, mode) => {
    let world: World
    let keys: Furnished
    beforeEach(async () => {
      world = await World.start()
      keys = await world.furnish()
    })
    afterEach(() => world.stop())

    const rules = RULES.filter(({ isOfTestMode }) => mode === 'test' || !isOfTestMode)
    test.each(rules.map((rule) => [`${rule.part}: ${rule.promise}`, rule] as const))('%s', async (_, rule) => {
      await rule.check(await apiOf(world, keys, wire, mode))
    })
  },
)

/** As the suite sees a server, in front of one with virtual time. */
async function apiOf(world: World, keys: Furnished, wire: Wire, mode: (typeof MODES)[number]): Promise<TestedServer> {
  const other = await createApp(world.admin, { name: 'other' })
  const optionsOf = ({ key = keys[mode], headers = {} }: CallOptions = {}) => ({
    ...(key !== null && { key }),
    headers,
  })
  let made = 0
  return {
    mode,
    keys: {
      otherKey: await world.key({ appId: other.appId, kind: 'sk', mode }),
      ...(mode === 'test' && { publicKey: await world.key({ appId: keys.appId, kind: 'pk', mode }) }),
    },
    call: (operation, input = {}, options) => world.call(wire, operation, input, optionsOf(options)),
    send: (method, path, options) => world.send(method, `/v1${path}`, undefined, optionsOf(options)),
    freshNumber: () => (mode === 'test' ? `+1 212 555-01${10 + ++made}` : `010-1234-${String(5_000 + ++made)}`),
    unique: () => `unique-${++made}`,
    async codeOf() {
      await world.settle()
      return mode === 'test' ? '000000' : world.sms.lastCode()
    },
    now: () => world.clock.elapsed(),
    wait: (ms) => world.advance(ms),
    slackMs: 100,
  }
}

describe('an answer is held to a rule', () => {
  test.each([
    [{ a: 1, b: 2 }, { a: 1 }],
    [{ a: 'abc' }, { a: /b/, b: undefined }],
    [
      [1, 2],
      [1, (value: number) => value === 2],
    ],
  ])('%o is %o', (actual, expected) => {
    expect(() => expectThat(actual, expected)).not.toThrow()
  })

  test.each([
    [{ a: 1 }, { a: 2 }, 'the answer: a is 1 instead of 2'],
    [{ a: 1 }, { a: undefined }, 'the answer: a is 1 instead of nothing'],
    [undefined, { a: 1 }, 'the answer is nothing instead of {"a":1}'],
    [[1], [1, 2], 'the length of the answer is [1] instead of [1,2]'],
    ['abc', /d/, 'the answer is "abc" instead of /d/'],
  ])('%o is not %o', (actual, expected, message) => {
    expect(() => expectThat(actual, expected)).toThrow(new Broken(message))
  })
})
