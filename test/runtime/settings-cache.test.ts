/** What rarely changes is read once, until the store says that it may have changed. */
import { expect, test } from 'bun:test'
import { BUILT_IN_TEMPLATES, type Template } from '../../src/domain/message/template'
import type { Reader } from '../../src/ports/store'
import { SettingsCache } from '../../src/runtime/caches/store-cache'
import { NOW } from '../domain/sample'

/** `versions`: what the store answers; one promise for as long as nobody has looked anew. */
function directoryOf(answers: { find?: () => Promise<unknown>; origins?: Map<string, number>; own?: Template[] } = {}) {
  let version = Promise.resolve('1')
  let reads = 0
  const read = {
    settingsVersion: () => version,
    apps: {
      find: () => {
        reads++
        return answers.find?.() ?? Promise.resolve({ appId: `read ${reads}` })
      },
    },
    templates: { ofApp: async () => answers.own ?? [] },
    keys: { publicOrigins: async () => answers.origins ?? new Map() },
  } as unknown as Reader
  const look = (found: string) => {
    version = Promise.resolve(found)
  }
  return { directory: new SettingsCache(read), look, reads: () => reads }
}

test('is kept by name while the version is the same, looked at anew or not, and read anew with the next', async () => {
  const { directory, look, reads } = directoryOf()
  const [first] = await Promise.all([directory.app('a'), directory.app('a')])
  look('1')
  expect([await directory.app('a'), reads()]).toEqual([first, 1])
  await directory.app('b')
  expect(reads()).toBe(2)
  look('2')
  expect([(await directory.app('a'))?.appId, reads()]).toEqual(['read 3', 3])
})

test('absence and failure are not kept', async () => {
  const found = [Promise.resolve(undefined), Promise.resolve({ appId: 'a' }), Promise.resolve({ appId: 'b' })]
  const { directory, look, reads } = directoryOf({ find: () => found.shift() ?? Promise.reject(new Error('broken')) })
  expect(await directory.app('a')).toBeUndefined()
  expect((await directory.app('a'))?.appId).toBe('a')
  expect(reads()).toBe(2)
  look('2')
  expect((await directory.app('a'))?.appId).toBe('b')
  for (let n = 0; n < 2; n++) await expect(directory.app('c')).rejects.toThrow('broken')
  expect(reads()).toBe(5)
})

test('own templates come after the built-in ones and hide those of the same id; the usual one needs no id', async () => {
  const [usual, ...others] = BUILT_IN_TEMPLATES
  const own = { ...(usual as Template), name: 'own' }
  const { directory } = directoryOf({ own: [own] })
  expect(await directory.templates('a')).toEqual([...others, own])
  expect((await directory.template('a'))?.name).toBe('own')
  expect(await directory.template('a', 'none')).toBeUndefined()
})

test('a page is public until the last key that lists it ends', async () => {
  const { directory } = directoryOf({ origins: new Map([['https://a.example', NOW + 1]]) })
  const isPublic = (origin: string, now: number) => directory.isPublicOrigin(origin, now)
  expect(await isPublic('https://a.example', NOW)).toBe(true)
  expect(await isPublic('https://a.example', NOW + 1)).toBe(false)
  expect(await isPublic('https://b.example', NOW)).toBe(false)
})
