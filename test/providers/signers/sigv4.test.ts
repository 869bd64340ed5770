/** AWS's own examples of Signature Version 4. */
import { expect, test } from 'bun:test'
import { sigv4Headers } from '../../../src/providers/signers/sigv4'

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const SERVICE = { ...CREDENTIALS, service: 'service', region: 'us-east-1' }
const AT = Date.UTC(2015, 7, 30, 12, 36)

/** aws-sig-v4-test-suite: get-vanilla, get-vanilla-query-order-key-case, post-x-www-form-urlencoded. */
test.each([
  [
    { method: 'GET', url: 'https://example.amazonaws.com/', headers: {} },
    'host;x-amz-date',
    '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
  ],
  [
    { method: 'GET', url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1', headers: {} },
    'host;x-amz-date',
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    {
      method: 'POST',
      url: 'https://example.amazonaws.com/',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', accept: '*/*' },
      body: 'Param1=value1',
    },
    'content-type;host;x-amz-date',
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('%o', (request, names, signature) => {
  expect(sigv4Headers(request, SERVICE, AT)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  })
})

test('a token of a session is signed, too', () => {
  const request = { method: 'GET', url: 'https://example.amazonaws.com/', headers: {} }
  const headers = sigv4Headers(request, { ...SERVICE, sessionToken: 'TOKEN' }, AT)
  expect(headers['x-amz-security-token']).toBe('TOKEN')
  expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,')
})
