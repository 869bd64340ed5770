import { randomBytes } from 'node:crypto'
import { cookies } from 'next/headers'

interface Session {
  phoneNumber: string
  endsAt: number
}

// In memory, as an example: yours is a table, or Redis. On globalThis, since a page and an action may each load this file.
const kept = globalThis as { sessions?: Map<string, Session> }
kept.sessions ??= new Map()
const { sessions } = kept

const DAY_SEC = 24 * 60 * 60
const isHttps = process.env.NODE_ENV === 'production'
const COOKIE = isHttps ? '__Host-session' : 'session' // the prefix keeps other subdomains from setting it
const OPTIONS = { httpOnly: true, sameSite: 'lax', secure: isHttps, path: '/' } as const

const sessionId = async () => (await cookies()).get(COOKIE)?.value ?? ''

export async function signedInNumber(): Promise<string | undefined> {
  const session = sessions.get(await sessionId())
  return session && session.endsAt > Date.now() ? session.phoneNumber : undefined
}

/** Always with a new id: whoever knew one from before knows nothing now. */
export async function newSession(phoneNumber: string): Promise<void> {
  sessions.delete(await sessionId())
  const id = randomBytes(32).toString('base64url')
  sessions.set(id, { phoneNumber, endsAt: Date.now() + DAY_SEC * 1_000 })
  const jar = await cookies()
  jar.set(COOKIE, id, { ...OPTIONS, maxAge: DAY_SEC })
}

export async function endSession(): Promise<void> {
  sessions.delete(await sessionId())
  const jar = await cookies()
  jar.set(COOKIE, '', { ...OPTIONS, maxAge: 0 })
}
