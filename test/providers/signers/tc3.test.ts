import { expect, test } from 'bun:test'
import { tc3Headers } from '../../../src/providers/signers/tc3'

test("Tencent Cloud's own example, with its masked keys", () => {
  const request = {
    method: 'POST',
    url: 'https://cvm.tencentcloudapi.com/',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json; charset=utf-8',
      'x-tc-action': 'DescribeInstances',
      'x-tc-version': '2017-03-12',
      'x-tc-region': 'ap-guangzhou',
    },
    body: String.raw`{"Limit": 1, "Filters": [{"Values": ["\u672a\u547d\u540d"], "Name": "instance-name"}]}`,
  }
  const masked = '*'.repeat(32)
  const credentials = { service: 'cvm', secretId: `AKID${masked}`, secretKey: masked }
  expect(tc3Headers(request, credentials, 1_551_113_065_000)).toEqual({
    'x-tc-timestamp': '1551113065',
    authorization:
      `TC3-HMAC-SHA256 Credential=AKID${masked}/2019-02-25/cvm/tc3_request, SignedHeaders=content-type;host;x-tc-action, ` +
      'Signature=10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f',
  })
})
