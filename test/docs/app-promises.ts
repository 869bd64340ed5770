/** What every backend of "Put it into your app" promises, whatever it is written in. Asked over HTTP, as a browser or an attacker would. */
import { expect } from 'bun:test'

interface Answer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers are compared, not used
  body: any
  cookie: string | undefined
}

/** Somebody with a cookie jar. */
class Visitor {
  cookie: string | undefined

  constructor(readonly url: string) {}

  async post(path: string, body: unknown, headers: Record<string, string> = { origin: this.url }): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return this.#ask(path, { method: 'POST', body: text, headers: { 'content-type': 'application/json', ...headers } })
  }

  start = (phone: unknown) => this.post('/api/start', { phone })
  verify = (code: unknown) => this.post('/api/verify', { code })
  account = () => this.#ask('/api/account', {})

  async #ask(path: string, { headers, ...init }: RequestInit): Promise<Answer> {
    const response = await fetch(this.url + path, {
      ...init,
      headers: { ...(headers as object), ...(this.cookie !== undefined && { cookie: this.cookie }) },
    })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) this.cookie = set.split(';')[0]
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : text, cookie: set }
  }
}

const number = (scenario: number) => `+82 10-0000-00${String(scenario).padStart(2, '0')}`
const RIGHT = '000000'

/** In order: the last one uses up what an address may do. */
export const APP_PROMISES: ReadonlyArray<[promise: string, keep: (url: string) => Promise<void>]> = [
  [
    'a right code logs in the phone that was asked for, once',
    async (url) => {
      const visitor = new Visitor(url)
      expect((await visitor.account()).status).toBe(401)
      expect(await visitor.start(number(0))).toMatchObject({ status: 200, body: { waitSec: 30 } })
      expect((await visitor.account()).status).toBe(401)
      expect((await visitor.verify('123456')).body.message).toBe('That is not the code. Tries left: 4.')
      expect((await visitor.account()).status).toBe(401)
      expect((await visitor.verify('000 000')).status).toBe(200)
      expect(await visitor.account()).toMatchObject({ status: 200, body: { phone: '+821000000000' } })
      expect((await visitor.verify(RIGHT)).status).toBe(409)
    },
  ],
  [
    'a cookie is for this site only and no script sees it; its id is another one after the login, and the old one is worth nothing',
    async (url) => {
      const visitor = new Visitor(url)
      const { cookie: before = '' } = await visitor.start(number(0))
      const known = new Visitor(url)
      known.cookie = visitor.cookie
      const { cookie: after = '' } = await visitor.verify(RIGHT)
      for (const cookie of [before, after]) {
        expect(cookie.toLowerCase()).toMatch(/^sid=[\w-]{40,};/i)
        for (const flag of ['httponly', 'samesite=lax', 'path=/']) expect(cookie.toLowerCase()).toContain(flag)
      }
      expect(after.split(';')[0]).not.toBe(before.split(';')[0])
      expect((await known.account()).status).toBe(401)
      expect((await known.verify(RIGHT)).status).toBe(409)
    },
  ],
  [
    'an id that somebody made up is not taken over',
    async (url) => {
      const visitor = new Visitor(url)
      visitor.cookie = 'sid=chosen-by-somebody-else'
      await visitor.start(number(0))
      expect(visitor.cookie).not.toContain('chosen')
    },
  ],
  [
    'a code of one session is worth nothing in another',
    async (url) => {
      const [victim, attacker] = [new Visitor(url), new Visitor(url)]
      await victim.start(number(11))
      await attacker.start(number(5))
      expect((await attacker.verify(RIGHT)).status).toBe(422)
      expect((await attacker.account()).status).toBe(401)
      expect((await new Visitor(url).verify(RIGHT)).status).toBe(409)
    },
  ],
  [
    'the phone cannot be changed on the way',
    async (url) => {
      const visitor = new Visitor(url)
      await visitor.start(number(12))
      await visitor.post('/api/verify', { code: RIGHT, phone: number(13), issueId: 'x', phoneNumber: number(13) })
      expect((await visitor.account()).body).toEqual({ phone: '+821000000012' })
      const other = new Visitor(url)
      await other.start(number(12))
      await other.start(number(14))
      await other.verify(RIGHT)
      expect((await other.account()).body).toEqual({ phone: '+821000000014' })
    },
  ],
  [
    'other origins are refused, and requests without one',
    async (url) => {
      const visitor = new Visitor(url)
      const others: Record<string, string>[] = [
        { origin: 'https://evil.example' },
        { origin: `${url}.evil.example` },
        { origin: 'null' },
        {},
      ]
      for (const headers of others) {
        expect(await visitor.post('/api/start', { phone: number(0) }, headers)).toMatchObject({
          status: 403,
          cookie: undefined,
        })
      }
      await visitor.start(number(0))
      expect((await visitor.post('/api/verify', { code: RIGHT }, { origin: 'https://evil.example' })).status).toBe(403)
      expect((await visitor.account()).status).toBe(401)
    },
  ],
  [
    'what is no number or no code is refused kindly',
    async (url) => {
      const visitor = new Visitor(url)
      for (const phone of [
        '010-0000-0000',
        '',
        'call me',
        `+${'1'.repeat(400)}`,
        82,
        null,
        {},
        { toString: 1 },
        ['+821000000000'],
      ]) {
        expect((await visitor.start(phone)).status).toBe(400)
      }
      for (const body of ['[]', '"phone"', 'null', '{']) {
        const { status } = await visitor.post('/api/start', body)
        expect(status).toBe(400)
      }
      await visitor.start(number(15))
      for (const code of ['12345', '1234567', 'abcdef', '１２３４５６', 123456, null, {}, { toString: 1 }]) {
        expect((await visitor.verify(code)).status).toBe(400)
      }
      expect((await visitor.verify(RIGHT)).status).toBe(200)
    },
  ],
  [
    'another code for the same phone waits 30 seconds',
    async (url) => {
      const visitor = new Visitor(url)
      const before = performance.now()
      await visitor.start(number(0))
      const { status, body } = await visitor.start(number(0))
      const passedSec = (performance.now() - before) / 1_000
      expect(status).toBe(429)
      expect(body.waitSec).toBeWithin(Math.floor(30 - passedSec), 31)
      expect((await visitor.verify(RIGHT)).status).toBe(200)
    },
  ],
  [
    'people are told what they can do, and nothing of our keys and credit',
    async (url) => {
      const visitor = new Visitor(url)
      expect(await visitor.start(number(6))).toMatchObject({ status: 429, body: { waitSec: expect.any(Number) } })
      for (const scenario of [7, 9]) {
        const { status, body } = await visitor.start(number(scenario))
        expect(status).toBe(503)
        expect(body).toEqual({ message: 'That does not work at the moment. Try again in a few minutes.' })
      }
      expect((await visitor.start('+44 20 7946 0958')).status).toBe(400)
    },
  ],
  [
    'a fifth wrong code ends it, and a new one can be asked for',
    async (url) => {
      const visitor = new Visitor(url)
      await visitor.start(number(5))
      for (let left = 4; left > 0; left--) {
        expect((await visitor.verify('111111')).body.message).toBe(`That is not the code. Tries left: ${left}.`)
      }
      expect((await visitor.verify('111111')).body.message).toBe('This code is no longer valid. Ask for another one.')
      await visitor.start(number(0))
      expect((await visitor.verify(RIGHT)).status).toBe(200)
    },
  ],
  [
    'a session may ask for five codes in ten minutes',
    async (url) => {
      const visitor = new Visitor(url)
      const statuses: number[] = []
      for (const scenario of [0, 11, 12, 13, 14, 15]) statuses.push((await visitor.start(number(scenario))).status)
      expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
      expect((await visitor.verify(RIGHT)).status).toBe(200)
    },
  ],
  [
    'an address may ask for thirty an hour, whatever its cookies',
    async (url) => {
      const statuses: number[] = []
      do statuses.push((await new Visitor(url).start(number(0))).status)
      while (statuses.at(-1) === 200 && statuses.length <= 30)
      expect(statuses.at(-1)).toBe(429)
    },
  ],
]
