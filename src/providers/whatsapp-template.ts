/** The authentication template that WhatsApp sends codes by: creates it at Meta, and asks whether it is approved. */
import { z } from 'zod'
import { invalid, unavailable } from '../domain/shared/error'
import type { TemplateRequest, TemplateState } from '../ports/carrier'
import type { Transport } from '../ports/network'
import { parseObject, textOf } from './answer'
import { valueAt } from './template'

interface Account {
  apiBase: string
  businessAccountId: string
  accessToken: string
  template: string
}

const settings = z.object({
  apiBase: z.string(),
  businessAccountId: z.string(),
  accessToken: z.string(),
  template: z.string(),
})

const TIMEOUT_MS = 15_000
const MAX_TTL_SEC = 900

/** Creates the languages that are asked for, and answers the state of every language. Throws `invalid` and `unavailable`. */
export async function createTemplate(
  transport: Transport,
  config: Record<string, unknown>,
  request: TemplateRequest,
): Promise<TemplateState[]> {
  const { data: account } = settings.safeParse(config)
  if (!account) throw invalid('businessAccountId', 'required', 'set businessAccountId of the carrier first')
  const wrong = request.languages.find((language) => !/^[a-z]{2,3}(_[A-Z]{2})?$/.test(language))
  if (wrong !== undefined) throw invalid('language', 'invalid_format', 'must be a language code of Meta such as en_US')
  const refused: TemplateState[] = []
  for (const language of request.languages) {
    const answer = await call(transport, account, 'POST', '', bodyOf(account, language, request))
    const reason = errorIn(answer)
    if (reason !== undefined) refused.push({ language, status: 'REFUSED', reason })
  }
  const known = await statesOf(transport, account)
  // A language that is there already is refused, and its state is what counts.
  return [...known, ...refused.filter(({ language }) => known.every((one) => one.language !== language))]
}

const bodyOf = ({ template }: Account, language: string, { minutes, androidApps }: TemplateRequest) => ({
  name: template,
  language,
  category: 'authentication',
  message_send_ttl_seconds: Math.min(minutes * 60, MAX_TTL_SEC),
  components: [
    { type: 'body', add_security_recommendation: true },
    { type: 'footer', code_expiration_minutes: minutes },
    {
      type: 'buttons',
      buttons: [
        androidApps.length === 0
          ? { type: 'otp', otp_type: 'copy_code' }
          : {
              type: 'otp',
              otp_type: 'one_tap',
              supported_apps: androidApps.map((app) => ({
                package_name: app.packageName,
                signature_hash: app.signatureHash,
              })),
            },
      ],
    },
  ],
})

async function statesOf(transport: Transport, account: Account): Promise<TemplateState[]> {
  const query = new URLSearchParams({
    name: account.template,
    fields: 'name,language,status,rejected_reason',
    limit: '200',
  })
  const answer = await call(transport, account, 'GET', `?${query}`)
  const reason = errorIn(answer)
  if (reason !== undefined) throw unavailable(`Meta refused the question: ${reason}`, 1_000)
  const { data } = answer
  // Meta also answers templates whose names begin so.
  return (Array.isArray(data) ? data : [])
    .filter((one) => valueAt(one, 'name') === account.template)
    .map((one) => {
      const rejected = textOf(valueAt(one, 'rejected_reason'))
      return {
        language: textOf(valueAt(one, 'language')) ?? '',
        status: textOf(valueAt(one, 'status')) ?? '',
        ...(rejected !== undefined && rejected !== 'NONE' && { reason: rejected }),
      }
    })
}

const errorIn = (answer: Record<string, unknown>): string | undefined =>
  textOf(valueAt(answer, 'error.error_user_msg')) ?? textOf(valueAt(answer, 'error.message'))

async function call(
  transport: Transport,
  { apiBase, businessAccountId, accessToken }: Account,
  method: 'GET' | 'POST',
  query: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const result = await transport.request({
    method,
    url: `${apiBase.replace(/\/+$/, '')}/${businessAccountId}/message_templates${query}`,
    headers: {
      accept: 'application/json',
      authorization: `Bearer ${accessToken}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    body: body && JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
  })
  if (result.kind !== 'answered') throw unavailable(`Meta cannot be reached: ${result.reason}`, 1_000)
  const answer = parseObject(result.body)
  if (result.status >= 300 && errorIn(answer) === undefined)
    throw unavailable(`Meta answered with status ${result.status}`, 1_000)
  return answer
}
