/** How a carrier knows that a request is ours: each signer adds headers to a request that is otherwise finished. */
import { createHash, createHmac } from 'node:crypto'
import type { RequestAuth } from '../description'
import { type Filled, filled, firstOf, objectScope, type ValueScope } from '../template'
import { acs3Headers } from './acs3'
import { jwtFrom } from './jwt'
import type { UnsignedRequest } from './request'
import { sigv4Headers } from './sigv4'
import { tc3Headers } from './tc3'

/** The headers that prove who sends the request. The scope has settings, moment and salt. */
export type Signer = (request: UnsignedRequest, scope: ValueScope) => Record<string, string>

export function signerOf(auth: RequestAuth): Signer {
  switch (auth.type) {
    case 'none':
      return () => ({})
    case 'basic': {
      const credentials = filled(`${auth.user}:${auth.password}`)
      return (_, scope) => ({ authorization: `Basic ${Buffer.from(credentials(scope)).toString('base64')}` })
    }
    case 'bearer':
      return headerSigner('authorization', `Bearer ${auth.token}`)
    case 'oauth2':
      return headerSigner('authorization', 'Bearer {{accessToken}}')
    case 'header':
      return headerSigner(auth.name, auth.value)
    case 'hmac':
      return hmacSigner(auth)
    case 'jwt': {
      const token = jwtFrom(auth)
      return (_, scope) => ({ authorization: `Bearer ${token(scope)}` })
    }
    case 'sigv4':
      return credentialSigner(auth, (request, credentials, moment) => sigv4Headers(request, credentials, moment.now))
    case 'acs3':
      return credentialSigner(auth, acs3Headers)
    case 'tc3':
      return credentialSigner(auth, (request, credentials, moment) => tc3Headers(request, credentials, moment.now))
  }
}

/** A signer of a whole request, with its settings filled in. */
function credentialSigner<T extends Record<string, string>>(
  credentials: T,
  headersOf: (
    request: UnsignedRequest,
    credentials: T,
    moment: { now: number; nonce: string },
  ) => Record<string, string>,
): Signer {
  const fills = Object.entries(credentials).map(([name, template]) => [name, filled(template)] as const)
  return (request, scope) => {
    const settings = Object.fromEntries(fills.map(([name, fill]) => [name, fill(scope)])) as T
    return headersOf(request, settings, { now: Number(scope('unixMillis')), nonce: String(scope('salt')) })
  }
}

function headerSigner(name: string, template: string): Signer {
  const value = filled(template)
  return (_, scope) => ({ [name]: value(scope) })
}

function hmacSigner({
  algorithm,
  encoding,
  secret,
  signed,
  header,
  value,
  headers,
}: Extract<RequestAuth, { type: 'hmac' }>): Signer {
  const [secretOf, textOf, headerOf] = [filled(secret), filled(signed), filled(value)]
  const further = Object.entries(headers).map(([name, template]): [string, Filled<string>] => [name, filled(template)])
  return ({ method, url, body = '' }, settings) => {
    const { pathname, search } = new URL(url)
    const bodyHash = createHash('sha256').update(body).digest('hex')
    const scope = firstOf(objectScope({ method, path: pathname + search, body, bodyHash }), settings)
    const signature = createHmac(algorithm, secretOf(scope)).update(textOf(scope)).digest(encoding)
    const signedScope = firstOf(objectScope({ signature }), scope)
    const added = Object.fromEntries(further.map(([name, fill]) => [name, fill(scope)]))
    return { ...added, [header]: headerOf(signedScope) }
  }
}
