/**
 * Origins of pages, app shells and extensions. Right: RFC 6454, 6.2 (scheme, host and port), and section "Keys" of the specification,
 * that each of the three counts.
 */
import { expect, test } from 'bun:test'
import { assertKey } from '../../src/domain/access/api-key'

const isTaken = (origin: string) => {
  try {
    assertKey({ kind: 'pk', mode: 'live', scopes: ['otp:issue'], allowedOrigins: [origin], allowedCidrs: [] })
    return true
  } catch {
    return false
  }
}

test.each([
  ['appwrite/appwrite#13514', 'capacitor://localhost'],
  ['authgear/authgear-server#3637', 'ionic://localhost'],
  ['firebase/firebase-js-sdk#5020', 'capacitor://app.example.com'],
  ['ionic-team/ionic-docs#4546', 'capacitor://localhost:8100'],
  ['appwrite/appwrite#13514', 'tauri://localhost'],
  ['appwrite/appwrite#13514', 'http://tauri.localhost'],
  ['appwrite/appwrite#13514', 'app://shop'],
  ['appwrite/appwrite#13514', 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'],
  ['appwrite/appwrite#13514', 'moz-extension://3c078156-979c-498b-8990-85f7987dd929'],
  ['firebase/firebase-js-sdk#5020', 'https://xn--bcher-kva.example'],
])('%s: %s may be listed', (_, origin) => {
  expect(isTaken(origin)).toBe(true)
})

test.each([
  'capacitor://',
  'capacitor://*',
  'capacitor://localhost/',
  'Capacitor://localhost',
  'capacitor://LOCALHOST',
  'capacitor://user@localhost',
  'capacitor://localhost:99999',
  'capacitor://localhost#a',
  'file://shop',
  'null',
  'ws://shop.example.com',
  'javascript://shop',
  'https://shop.example.com:443',
  'https://*.example.com',
])('%s may not be listed', (origin) => {
  expect(isTaken(origin)).toBe(false)
})
