/** Tencent Cloud's own SDK: tencentcloud-sdk-nodejs-sms. */
import { expect, setSystemTime, test } from 'bun:test'
import { sms } from 'tencentcloud-sdk-nodejs-sms'
import { tencent } from '../../../src/providers/descriptions/tencent'
import { tc3Headers } from '../../../src/providers/signers/tc3'
import { NOW } from '../../domain/sample'
import { REPORT_SECRET, vendorOf } from '../described-vendor'
import { answered, CODE, TO } from '../fake-vendor-twilio-aligo'
import { caught, meaningOf } from './caught'

const KEYS = { secretId: 'AKIDEXAMPLE', secretKey: 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE' }
const message = { templateCode: '449739', variables: { code: CODE, minutes: '3' } }

test('a text is the same request', async () => {
  setSystemTime(NOW)
  const SerialNo = '5000:1045710669157053657849499619'
  const answer = { Response: { SendStatusSet: [{ SerialNo, Fee: 1, Code: 'Ok' }], RequestId: 'a' } }
  const { request: theirs, result } = await caught(answer, (base) => {
    // The SDK takes the first part of the host for the service that is signed.
    const httpProfile = { endpoint: base.replace('http://127.0.0.1', 'sms.localhost'), protocol: 'http://' }
    return new sms.v20210111.Client({ credential: KEYS, region: 'ap-guangzhou', profile: { httpProfile } }).SendSms({
      PhoneNumberSet: [TO],
      SmsSdkAppId: '1400006666',
      TemplateId: '449739',
      SignName: '腾讯云',
      TemplateParamSet: [CODE, '3'],
      SessionContext: '019ca91c-4e00-7000-8000-0000000000aa',
      SenderId: 'Acme',
    })
  })
  setSystemTime()
  const carrier = vendorOf(tencent, {
    ...{ ...KEYS, sdkAppId: '1400006666', signName: '腾讯云', templateParams: 'code,minutes', from: 'Acme' },
    ...{ reportSecret: REPORT_SECRET, apiBase: new URL(theirs.url).origin },
  })
  const unsigned = (one: typeof theirs) => {
    const names = ['x-tc-action', 'x-tc-version', 'x-tc-region', 'x-tc-timestamp']
    const { authorization: _, ...headers } = meaningOf(one, ...names).headers
    return { ...meaningOf(one), headers }
  }
  expect(unsigned(await carrier.request(message))).toEqual(unsigned(theirs))
  // We sign the name of the action too, as the documentation does. Without it, and without a port, our signature is the SDK's.
  const headers = { 'content-type': theirs.headers['content-type'] ?? '' }
  expect(
    tc3Headers({ ...theirs, headers, url: 'http://sms.localhost/' }, { ...KEYS, service: 'sms' }, NOW).authorization,
  ).toBe(theirs.headers.authorization ?? '')
  expect(await carrier.outcome(answered(200, answer), message)).toEqual({
    kind: 'accepted',
    carrierMessageId: result.SendStatusSet?.[0]?.SerialNo ?? '',
  })
})
