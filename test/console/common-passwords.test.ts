/** Passwords that are tried first are taken nowhere that one is chosen. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import '../../src/console/rpc'
import { isCommonPassword } from '../../src/system/passwords'
import { setUpToken } from '../../src/usecases/people'
import { World } from '../support/world'
import { ConsoleClient } from './client'

const PASSWORD = 'correct horse battery'
const COMMON = { status: 400, body: { data: { param: 'password', reason: 'common_password' } } }

let world: World
beforeEach(async () => {
  world = await World.start()
})
afterEach(() => world.stop())

test.each([
  ['1q2w3e4r5t6y', true],
  ['Administrator', true],
  ['password1234', true],
  ['!Password2026!', true],
  ['passwordpassword', true],
  ['aaaaaaaaaaaa', true],
  ['Watchword2026', true],
  ['watchwordwatchword', true],
  [PASSWORD, false],
  ['love84921734', false],
  ['839201748392', false],
  ['엄마가 좋아하는 국수집', false],
])('%s is common: %p', (password, isCommon) => {
  expect(isCommonPassword(password)).toBe(isCommon)
})

test('is refused for a first account, for an invited one, and as a new password', async () => {
  const owner = new ConsoleClient(world)
  const person = { name: 'Ann', email: 'ann@example.com', password: 'Password2026' }
  const token = await setUpToken(world)
  expect(await owner.call('session/setUp', { token, ...person })).toMatchObject(COMMON)
  expect((await owner.call('session/setUp', { token, ...person, password: PASSWORD })).status).toBe(200)
  const { url } = (await owner.call('operators/invite', { role: 'viewer' })).body
  const guest = { ...person, token: String(url).split('#')[1], email: 'bob@example.com' }
  expect(await new ConsoleClient(world).call('session/accept', guest)).toMatchObject(COMMON)
  const change = { current: PASSWORD, password: 'qwerty123456' }
  expect(await owner.call('session/changePassword', change)).toMatchObject(COMMON)
  expect((await owner.call('session/changePassword', { ...change, password: 'another long one' })).status).toBe(200)
})
