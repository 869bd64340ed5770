/** What a caller of test mode does, a line each: told to the real service and to the one in memory, which must say the same. */
import { createOtpClient, type OtpClient, WatchwordError } from '../../client'
import { createTestClient, type OperationName, type TestTemplate } from '../../client/testing'
import { registered } from '../../client/testing/service'
import * as administer from '../../src/usecases/administer'
import type { World } from '../support/world'

/** `$1` in an input is the id of the first issue of the story, `$1!` the same in capitals, `$next` the last cursor. */
export type Line = { call: OperationName; input: object; says: object } | { pass: number }

export interface Told {
  answered?: unknown
  refused?: unknown
}

interface Side {
  otp: OtpClient
  pass(ms: number): Promise<void>
}

/** That nobody waits for a minute of it. */
const LEAPS_FROM_MS = 3_600_000

/** The real one: an app and a key of their own, at the time at which the world is. */
export async function realSide(world: World, templates: readonly TestTemplate[] = []): Promise<Side> {
  const { appId } = await administer.createApp(world.admin, { name: 'stories' })
  for (const template of templates) await administer.saveTemplate(world.admin, appId, registered(template))
  const apiKey = await world.key({ appId, kind: 'sk', mode: 'test' })
  const fetch = (request: Request) => world.app.fetch(request, '127.0.0.1')
  return {
    otp: createOtpClient({ baseUrl: 'http://localhost/v1', apiKey, timeoutMs: 600_000, fetch }),
    pass: (ms) => (ms < LEAPS_FROM_MS ? world.advance(ms) : world.leap(ms)),
  }
}

export function sideInMemory(world: World, templates: readonly TestTemplate[] = []): Side {
  const otp = createTestClient({ now: world.clock.now(), templates })
  return { otp, pass: otp.advance }
}

/** All that was answered, line by line. */
export async function tell(story: readonly Line[], { otp, pass }: Side): Promise<Told[]> {
  const told: Told[] = []
  const issueIds: string[] = []
  let cursor: string | undefined
  const names = new Names()
  for (const line of story) {
    if ('pass' in line) {
      await pass(line.pass)
      continue
    }
    const input = JSON.parse(JSON.stringify(line.input), (_, value) => {
      if (value === '$next') return cursor
      const [, number, capitals] = (typeof value === 'string' && /^\$(\d+)(!?)$/.exec(value)) || []
      const issueId = issueIds[Number(number) - 1]
      return number === undefined ? value : capitals ? issueId?.toUpperCase() : issueId
    })
    try {
      // biome-ignore lint/suspicious/noExplicitAny: any call, also with an input that does not fit
      const answer: any = await (otp[line.call] as any)(...(Object.keys(input).length > 0 ? [input] : []))
      if (line.call === 'issue' && !issueIds.includes(answer.issueId)) issueIds.push(answer.issueId)
      cursor = answer.nextCursor
      told.push({ answered: named(answer, names) })
    } catch (error) {
      if (!(error instanceof WatchwordError)) throw error
      const { name, code, message, status, data, param, reason, retryAfterMs, retryable } = error
      told.push({ refused: { name, code, message, status, data, param, reason, retryAfterMs, retryable } })
    }
  }
  return told
}

/** The same thing has the same name wherever it is said. */
class Names {
  readonly #known = new Map<string, string>()

  of(id: string): string {
    const known = this.#known.get(id) ?? `id ${this.#known.size + 1}`
    this.#known.set(id, known)
    return known
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Of a JWT what it says: each service signs with a key of its own. */
const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())

/** Ids are each service's own. So is when an expired code was noted as such, which a sweep does within a second. */
function named(answer: object, names: Names): unknown {
  return JSON.parse(JSON.stringify(answer), (name, value) => {
    if (name === 'nextCursor') return 'a cursor'
    if (name === 'proof') return named(claimsOf(value), names)
    if (['appId', 'organizationId', 'walletId', 'aud'].includes(name)) return name
    if (typeof value === 'string' && UUID.test(value)) return names.of(value.toLowerCase())
    return value?.verificationStatus === 'expired' ? { ...value, updatedAt: 'noted' } : value
  })
}
