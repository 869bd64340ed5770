/** The client of Alibaba Cloud's SDKs, @alicloud/openapi-client, to which those of its products are tables of actions. */
import { expect, test } from 'bun:test'
import OpenApi, { Config, OpenApiRequest, Params } from '@alicloud/openapi-client'
import Signing from '@alicloud/openapi-util'
import { Request } from '@alicloud/tea-typescript'
import { alibaba } from '../../../src/providers/descriptions/alibaba'
import { REPORT_SECRET, vendorOf } from '../described-vendor'
import { answered, CODE, TEXT, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const KEYS = { accessKeyId: 'LTAI5tExampleExample', accessKeySecret: 'secret-of-the-access-key' }
const ALGORITHM = 'ACS3-HMAC-SHA256'

function call(endpoint: string, action: string, version: string, query: Record<string, string>) {
  const common = { protocol: 'HTTPS', pathname: '/', method: 'POST', authType: 'AK', style: 'RPC' }
  const params = new Params({ ...common, action, version, reqBodyType: 'formData', bodyType: 'json' })
  const client = new OpenApi(new Config({ ...KEYS, endpoint }))
  return client.callApi(params, new OpenApiRequest({ query }), { toMap: () => ({}) } as never)
}

const messageId = '019ca91c-4e00-7000-8000-0000000000aa'
const text = { OutId: messageId, PhoneNumbers: TO.slice(1), SignName: '阿里云', TemplateCode: 'SMS_71390007' }
const byTemplate = { templateCode: 'SMS_71390007', variables: { code: CODE } }
const TemplateParam = JSON.stringify({ code: CODE })

test.each([
  [
    'SendSms',
    'dysmsapi.aliyuncs.com',
    '2017-05-25',
    { signName: '阿里云' },
    byTemplate,
    { ...text, TemplateParam },
    { Code: 'OK', BizId: '900619746936498440^0' },
    'BizId',
  ],
  [
    'SendMessageToGlobe',
    'dysmsapi.ap-southeast-1.aliyuncs.com',
    '2018-05-01',
    { from: 'Acme' },
    {},
    { From: 'Acme', Message: TEXT, TaskId: messageId, To: TO.slice(1) },
    { ResponseCode: 'OK', MessageId: '1008030300****' },
    undefined,
  ],
  [
    'SendMessageWithTemplate',
    'dysmsapi.ap-southeast-1.aliyuncs.com',
    '2018-05-01',
    { from: '阿里云' },
    { ...byTemplate, to: '+8613900000000' },
    { From: '阿里云', TemplateCode: 'SMS_71390007', TemplateParam, To: '8613900000000' },
    { ResponseCode: 'OK', MessageId: '191921412345' },
    'MessageId',
  ],
] as const)('%s is the same request', async (action, endpoint, version, settings, message, query, answer, id) => {
  const { request: theirs, result } = await caught(answer, () => call(endpoint, action, version, query))
  const carrier = vendorOf(alibaba, { ...KEYS, ...settings, reportSecret: REPORT_SECRET })
  const ours = await carrier.request(message)
  const unsigned = (one: typeof ours | typeof theirs) => {
    const names = ['x-acs-action', 'x-acs-version', 'x-acs-content-sha256']
    const { authorization: _, ...headers } = meaningOf(one, ...names).headers
    return { ...meaningOf(one), headers }
  }
  expect(unsigned(ours)).toEqual(unsigned(theirs))
  // With the moment and the nonce of ours, the SDK makes our signature.
  const { authorization, ...headers } = ours.headers
  const request = new Request()
  Object.assign(request, { method: 'POST', pathname: '/', query, headers: { ...headers, host: endpoint } })
  const hash = headers['x-acs-content-sha256'] ?? ''
  const { accessKeyId, accessKeySecret } = KEYS
  expect(authorization).toBe(Signing.getAuthorization(request, ALGORITHM, hash, accessKeyId, accessKeySecret))
  if (id === undefined) return
  expect(await carrier.outcome(answered(200, answer), message)).toMatchObject({
    kind: 'accepted',
    carrierMessageId: result.body[id],
  })
})
