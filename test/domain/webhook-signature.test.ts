import { describe, expect, test } from 'bun:test'
import { newSecret, signatureHeaders } from '../../src/domain/webhooks/signature'

const NEWEST = newSecret(Uint8Array.from({ length: 32 }, (_, index) => index))
const OLDER = newSecret(Uint8Array.from({ length: 32 }, (_, index) => index + 32))
const REQUEST = { eventId: 'evt-1', body: '{"id":"evt-1","text":"확인"}', timestampSec: 1_768_469_400 }

/** Computed with Python's hmac, so that a mistake here and in the code cannot be the same one. */
const OURS = '57993224e55e74f6cc65f30e19d4f426aa7e7a636a271d7d8a0fe393c34c9b83'
const STANDARD = 'v1,DV6reI84lTaPzK9FspzgJXBa+P6oDvuyKsFLSBExdsg='
const STANDARD_OLDER = 'v1,6R8B2pSnnTargE1KNXX0ojE5rYaZov5NcFUwhaK/Fcw='

describe('the headers of a webhook request', () => {
  test('are the two of the specification and the three of Standard Webhooks', () => {
    expect(signatureHeaders({ ...REQUEST, secrets: [NEWEST] })).toEqual({
      'X-Watchword-Signature': OURS,
      'X-Watchword-Timestamp': '1768469400',
      'webhook-id': 'evt-1',
      'webhook-timestamp': '1768469400',
      'webhook-signature': STANDARD,
    })
  })

  test('are the same for the text of a body and for its bytes', () => {
    expect(signatureHeaders({ ...REQUEST, body: Buffer.from(REQUEST.body), secrets: [NEWEST] })).toEqual(
      signatureHeaders({ ...REQUEST, secrets: [NEWEST] }),
    )
  })

  test('while a secret is rotated: ours by the newest, those of Standard Webhooks by each', () => {
    const headers = signatureHeaders({ ...REQUEST, secrets: [NEWEST, OLDER] })
    expect(headers['X-Watchword-Signature']).toBe(OURS)
    expect(headers['webhook-signature']).toBe(`${STANDARD} ${STANDARD_OLDER}`)
  })
})

test('a secret is 32 bytes in base64 behind whsec_', () => {
  expect(NEWEST).toBe('whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=')
})
