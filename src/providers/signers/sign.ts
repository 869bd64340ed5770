/** How a carrier knows that a request is ours: each signer adds headers to a request that is otherwise finished. */
import { createHash, createHmac } from 'node:crypto'
import type { RequestAuth } from '../description'
import { type Filled, filled, firstOf, objectScope, type ValueScope } from '../template'
import { jwtFrom } from './jwt'
import type { UnsignedRequest } from './request'
import { sigv4Headers } from './sigv4'

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
    case 'header':
      return headerSigner(auth.name, auth.value)
    case 'hmac':
      return hmacSigner(auth)
    case 'jwt': {
      const token = jwtFrom(auth)
      return (_, scope) => ({ authorization: `Bearer ${token(scope)}` })
    }
    case 'sigv4': {
      const [service, region, accessKeyId, secretAccessKey] = [
        filled(auth.service),
        filled(auth.region),
        filled(auth.accessKeyId),
        filled(auth.secretAccessKey),
      ]
      const sessionToken = filled(auth.sessionToken)
      return (request, scope) =>
        sigv4Headers(
          request,
          {
            service: service(scope),
            region: region(scope),
            accessKeyId: accessKeyId(scope),
            secretAccessKey: secretAccessKey(scope),
            sessionToken: sessionToken(scope),
          },
          Number(scope('unixMillis')),
        )
    }
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
