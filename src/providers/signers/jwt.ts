/** A JSON Web Token that the carrier takes as a proof of who sends: RS256 with the application's private key, or HS256. */
import { createHmac, createSign } from 'node:crypto'
import { jsonFrom, type ValueScope } from '../template'

interface JwtSettings {
  algorithm: 'RS256' | 'HS256'
  /** The private key as PEM, or the shared secret. */
  key: string
  /** With placeholders; a claim that is one placeholder without a value is left out. */
  claims: unknown
}

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export function jwtFrom({ algorithm, key, claims }: JwtSettings): (scope: ValueScope) => string {
  const [keyFrom, claimsFrom] = [jsonFrom(key, true), jsonFrom(claims, false)]
  return (scope) => {
    const signed = `${encoded({ alg: algorithm, typ: 'JWT' })}.${encoded(claimsFrom(scope))}`
    // Consoles and shells write the line ends of a key as \n.
    const secret = String(keyFrom(scope)).replaceAll('\\n', '\n')
    const signature =
      algorithm === 'RS256'
        ? createSign('RSA-SHA256').update(signed).sign(secret, 'base64url')
        : createHmac('sha256', secret).update(signed).digest('base64url')
    return `${signed}.${signature}`
  }
}
