/** Headers of a webhook that are not its sender's own; apps may add some to theirs. */

const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Tab and the visible characters of Latin-1: no line breaks, which would begin another header. */
const VALUE = /^[\t\x20-\x7e\xa0-\xff]*$/

/** They decide where a request goes, where it ends and how it is answered; only the transport may say that. */
const OF_THE_TRANSPORT = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

export const isHookHeader = (name: string, value: string): boolean =>
  NAME.test(name) && VALUE.test(value) && !OF_THE_TRANSPORT.has(name.toLowerCase())
