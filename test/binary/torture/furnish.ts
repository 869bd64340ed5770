/** An app with credit and the carriers that it is tortured with. */
import { type Program, runJson } from '../support'
import type { TortureCarrier } from './carrier'
import { SILENT_PROVIDER } from './findings'

const CREDIT = 1_000_000

/** Answers the app's key. */
export async function furnish(program: Program, carrier: TortureCarrier): Promise<string> {
  const { appId } = await runJson(program, 'app', 'create', 'tortured')
  const { key } = await runJson(program, 'key', 'create', '--app', appId, '--kind', 'sk', '--mode', 'live')
  await runJson(program, 'credit', 'add', '--app', appId, '--amount', String(CREDIT))
  for (const [name, channel] of [
    ['main', 'sms'],
    [SILENT_PROVIDER, 'sms'],
    ['kakao', 'alimtalk'],
  ] as const) {
    const target = ['--type', 'http', '--channel', channel, '--url', carrier.urlOf(name)]
    const reports = name === SILENT_PROVIDER ? [] : ['--reports']
    const { reportSecret } = await runJson(program, 'provider', 'set', name, ...target, ...reports)
    carrier.hasSecret(name, reportSecret)
  }
  return key
}

/** Asks a server by the interface. `signal`: until when. */
export async function postTo(url: string, key: string, path: string, body: object, signal?: AbortSignal) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    keepalive: false,
    ...(signal && { signal }),
  })
  return { status: response.status, body: await response.json() }
}
