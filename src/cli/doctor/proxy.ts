/** Checks the public URL and the settings for a proxy in front. */
import { type Check, findings, type Wrong } from './finding'

const LOOPBACK = ['127.0.0.1', '::1', 'localhost']

export const checkProxy: Check = ({ config: { host, publicUrl, trustedProxies } }) => {
  const wrong: Wrong[] = []
  const isLocal = LOOPBACK.includes(host)
  const url = publicUrl === undefined ? undefined : new URL(publicUrl)
  const isPlain = url?.protocol === 'http:' && !LOOPBACK.includes(url.hostname.replace(/^\[|\]$/g, ''))
  if (!url && (!isLocal || trustedProxies.length > 0)) {
    wrong.push({
      state: 'warn',
      message: 'WATCHWORD_PUBLIC_URL is not set, and others than this machine reach the service.',
      advice:
        'Set it to the origin people and carriers use: the console is answered at no other one, and printed links and report URLs begin with it.',
    })
  }
  if (isPlain) {
    wrong.push({
      state: 'problem',
      message: `WATCHWORD_PUBLIC_URL is plain http (${publicUrl}): keys travel in clear, and nobody can sign in to the console.`,
      advice: 'Put a proxy with TLS in front, and set WATCHWORD_PUBLIC_URL to its https origin.',
    })
  }
  if (url?.protocol === 'https:' && trustedProxies.length === 0) {
    wrong.push({
      state: 'warn',
      message:
        'A proxy ends TLS in front, and WATCHWORD_TRUSTED_PROXIES names none: all clients seem to be one address.',
      advice: 'Set it to the network of the proxy, for example 127.0.0.1/32; limits for each address count by it.',
    })
  }
  return findings(
    'proxy',
    wrong,
    publicUrl ? `Reached as ${publicUrl}.` : `Reached from this machine only, at ${host}.`,
  )
}
