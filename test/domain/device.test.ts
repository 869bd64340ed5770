/** The two words that are kept of a User-Agent. */
import { expect, test } from 'bun:test'
import { deviceOf } from '../../src/domain/access/device'

const MOZILLA = 'Mozilla/5.0'
const KHTML = '(KHTML, like Gecko)'

test.each([
  [
    'Chrome',
    'macOS',
    `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 ${KHTML} Chrome/142.0.0.0 Safari/537.36`,
  ],
  [
    'Edge',
    'Windows',
    `${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${KHTML} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`,
  ],
  [
    'Safari',
    'iPhone',
    `${MOZILLA} (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 ${KHTML} Version/26.0 Mobile/15E148 Safari/604.1`,
  ],
  [
    'Samsung',
    'Android',
    `${MOZILLA} (Linux; Android 10; K) AppleWebKit/537.36 ${KHTML} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ],
  [
    'Whale',
    'Windows',
    `${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 ${KHTML} Chrome/138.0.0.0 Whale/4.33.325.17 Safari/537.36`,
  ],
  ['Firefox', 'Linux', `${MOZILLA} (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0`],
  ['', '', 'curl/8.5.0'],
  ['', '', `${'x'.repeat(1_000)} Chrome/1 Linux`],
  ['', '', null],
])('it is %s, and it is %s', (browser, system, userAgent) => {
  expect(deviceOf(userAgent)).toEqual({ browser, system })
})
