// Sign up by phone. The page verifies the number with a public key, and posts the proof that Watchword has signed.
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createProofVerifier, ProofError } from '@watchword/client/server'
import express from 'express'
import { accountPage, signUpPage } from './pages.mjs'

const { OTP_URL = 'http://127.0.0.1:8787/v1', OTP_PUBLIC_KEY, OTP_APP_ID, PORT = '3000' } = process.env
if (!OTP_PUBLIC_KEY || !OTP_APP_ID) throw new Error('Set OTP_PUBLIC_KEY and OTP_APP_ID: quickstart prints them')
const APP_ORIGIN = process.env.APP_ORIGIN ?? `http://localhost:${PORT}` // this app, as browsers see it
const PURPOSE = 'signup'
const isTest = OTP_PUBLIC_KEY.startsWith('pk_test_')

// It remembers which proofs it has seen. Several processes give it `isFirstUse`, an INSERT that conflicts.
const verifyProof = createProofVerifier({
  baseUrl: OTP_URL,
  appId: OTP_APP_ID,
  purpose: PURPOSE,
  allowTestMode: isTest, // a page with a live key signs nobody in with a test number, which is nobody's
})

const DAY_MS = 24 * 60 * 60 * 1000
const isHttps = APP_ORIGIN.startsWith('https:')
const COOKIE = isHttps ? '__Host-session' : 'session' // the prefix keeps other subdomains from setting it
const sessions = new Map() // in memory, as an example: yours is a table, or Redis

const idIn = ({ headers }) => new RegExp(`(?:^|; )${COOKIE}=([^;]+)`).exec(headers.cookie ?? '')?.[1]

function phoneNumberOf(request) {
  const session = sessions.get(idIn(request))
  return session && session.endsAt > Date.now() ? session.phoneNumber : undefined
}

/** Always with a new id: whoever knew one from before knows nothing now. */
function signIn(request, response, phoneNumber) {
  sessions.delete(idIn(request))
  const id = randomBytes(32).toString('base64url')
  sessions.set(id, { phoneNumber, endsAt: Date.now() + DAY_MS })
  response.cookie(COOKIE, id, { httpOnly: true, sameSite: 'lax', secure: isHttps, maxAge: DAY_MS })
}

const app = express()
app.disable('x-powered-by')
app.use(express.static('public'))
app.use('/watchword', express.static(dirname(fileURLToPath(import.meta.resolve('@watchword/client/package.json')))))
app.use((request, response, next) => {
  const policy = `default-src 'self'; connect-src 'self' ${new URL(OTP_URL).origin}; frame-ancestors 'none'`
  response.set({ 'Content-Security-Policy': policy, 'Cache-Control': 'no-store' })
  // Nobody else's page signs our visitors in, or out.
  if (request.method !== 'POST' || request.headers.origin === APP_ORIGIN) return next()
  response.status(403).type('text').send(`Open ${APP_ORIGIN}`)
})

const toSignUp = (response, status, error) =>
  response.status(status).send(signUpPage({ url: OTP_URL, key: OTP_PUBLIC_KEY, purpose: PURPOSE, isTest, error }))

app.get('/', (request, response) => {
  const phoneNumber = phoneNumberOf(request)
  if (phoneNumber === undefined) toSignUp(response, 200)
  else response.send(accountPage(phoneNumber))
})

app.post('/sign-up', express.urlencoded({ extended: false, limit: '20kb' }), async (request, response) => {
  try {
    const { phoneNumber } = await verifyProof(request.body?.proof)
    // Your own: find the account of this number, or make it.
    signIn(request, response, phoneNumber)
    response.redirect(303, '/')
  } catch (error) {
    if (error instanceof ProofError) return toSignUp(response, 400, 'That did not work. Please ask for another code.')
    console.error(error)
    toSignUp(response, 503, 'That does not work at the moment. Please try again in a few minutes.')
  }
})

app.post('/sign-out', (request, response) => {
  sessions.delete(idIn(request))
  response.clearCookie(COOKIE, { httpOnly: true, sameSite: 'lax', secure: isHttps }).redirect(303, '/')
})

app.listen(Number(PORT), () => console.log(APP_ORIGIN))
