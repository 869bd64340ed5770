import { expect, test } from 'bun:test'
import { acs3Headers } from '../../../src/providers/signers/acs3'

test("Alibaba Cloud's own example", () => {
  const request = {
    method: 'POST',
    url: 'https://ecs.cn-shanghai.aliyuncs.com/?ImageId=win2019_1809_x64_dtc_zh-cn_40G_alibase_20230811.vhd&RegionId=cn-shanghai',
    headers: { accept: 'application/json', 'x-acs-action': 'RunInstances', 'x-acs-version': '2014-05-26' },
  }
  const credentials = { accessKeyId: 'YourAccessKeyId', accessKeySecret: 'YourAccessKeySecret' }
  const moment = { now: Date.UTC(2023, 9, 26, 10, 22, 32), nonce: '3156853299f313e23d1673dc12e1703d' }
  expect(acs3Headers(request, credentials, moment)).toEqual({
    'x-acs-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'x-acs-date': '2023-10-26T10:22:32Z',
    'x-acs-signature-nonce': '3156853299f313e23d1673dc12e1703d',
    authorization:
      'ACS3-HMAC-SHA256 Credential=YourAccessKeyId,' +
      'SignedHeaders=host;x-acs-action;x-acs-content-sha256;x-acs-date;x-acs-signature-nonce;x-acs-version,' +
      'Signature=06563a9e1b43f5dfe96b81484da74bceab24a1d853912eee15083a6f0f3283c0',
  })
})
