/** HTTP itself: request lines, headers, lengths and chunks that are not as they should be. */
import { bearer, request, type Shot, type Subject } from './shot'
import type { Target } from './target'
import { mangled } from './values'

const WRONG_CODE = '{"issueId":"none","code":"12"}'

const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`
const HOST = 'Host: localhost'
const CLOSE = 'Connection: close'

/** Nothing here may be done, whatever a parser makes of it. */
const fixed = (key: string): Record<string, string> => {
  const authorization = `Authorization: Bearer ${key}`
  const post = (...headers: string[]) =>
    lines('POST /v1/verify HTTP/1.1', HOST, CLOSE, authorization, 'Content-Type: application/json', ...headers)
  return {
    'no host': lines('GET /healthz HTTP/1.1', CLOSE),
    'two hosts': lines('GET /v1/issues HTTP/1.1', HOST, 'Host: other', CLOSE),
    'a host with a path': lines('GET /v1/issues HTTP/1.1', 'Host: a/../console?#@[', CLOSE),
    'HTTP/1.0': lines('GET /v1/issues HTTP/1.0', CLOSE),
    'HTTP/9.9': lines('GET /v1/issues HTTP/9.9', HOST, CLOSE),
    'the preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'a hello of TLS': '\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03',
    'a method in lower case': lines('get /v1/issues HTTP/1.1', HOST, CLOSE),
    'a method nobody knows': lines('BREW /v1/issues HTTP/1.1', HOST, CLOSE),
    TRACE: lines('TRACE /v1/issues HTTP/1.1', HOST, CLOSE),
    CONNECT: lines('CONNECT localhost:443 HTTP/1.1', HOST, CLOSE),
    'OPTIONS *': lines('OPTIONS * HTTP/1.1', HOST, CLOSE),
    'an absolute target': lines('GET http://other.example/v1/issues HTTP/1.1', HOST, CLOSE),
    'a target without a slash': lines('GET v1/issues HTTP/1.1', HOST, CLOSE),
    'lines that end in LF': `GET /v1/issues HTTP/1.1\n${HOST}\n${CLOSE}\n\n`,
    'a folded header': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, 'X-A: a', '  b'),
    'a header without a colon': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, 'nothing'),
    'a space before the colon': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, 'Authorization : x'),
    'NUL in a header': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, 'X-A: a\0b'),
    'bytes in a header': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, 'X-Request-Id: \x80\xff\xfe12345'),
    'ten thousand headers': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, ...Array(10_000).fill('A: b')),
    'two thousand short headers': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, ...Array(2_000).fill('A:b')),
    'a header of 100 KB': lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, `X-A: ${'a'.repeat(100_000)}`),
    'empty lines first': `\r\n\r\n\r\n${lines('GET /v1/issues HTTP/1.1', HOST, CLOSE)}`,
    'nothing but an empty line': '\r\n',
    'half a request line': 'GET /v1/iss',
    'length and chunks': `${post('Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\nGET /v1/issues`,
    'two lengths': `${post('Content-Length: 30', 'Content-Length: 5')}${WRONG_CODE}`,
    'a negative length': `${post('Content-Length: -1')}${WRONG_CODE}`,
    'a length of words': `${post('Content-Length: 0x1e')}${WRONG_CODE}`,
    'a length with a plus': `${post('Content-Length: +30')}${WRONG_CODE}`,
    'a length beyond all': `${post('Content-Length: 99999999999999999999')}${WRONG_CODE}`,
    'less than its length': `${post('Content-Length: 500')}${WRONG_CODE}`,
    'more than its length': `${post('Content-Length: 10')}${WRONG_CODE}`,
    'chunks of no size': `${post('Transfer-Encoding: chunked')}zz\r\n${WRONG_CODE}\r\n0\r\n\r\n`,
    'a chunk of a negative size': `${post('Transfer-Encoding: chunked')}-1\r\n${WRONG_CODE}\r\n0\r\n\r\n`,
    'a chunk beyond all': `${post('Transfer-Encoding: chunked')}ffffffffffffffff\r\n${WRONG_CODE}\r\n0\r\n\r\n`,
    'chunks without an end': `${post('Transfer-Encoding: chunked')}5\r\n${WRONG_CODE.slice(0, 5)}\r\n`,
    'chunks with extensions': `${post('Transfer-Encoding: chunked')}1e;${'a'.repeat(5_000)}=1\r\n${WRONG_CODE}\r\n0\r\n\r\n`,
    'chunks with trailers': `${post('Transfer-Encoding: chunked')}1e\r\n${WRONG_CODE}\r\n0\r\nAuthorization: x\r\n\r\n`,
    'chunks under a made-up name': `${post('Transfer-Encoding: xchunked')}1e\r\n${WRONG_CODE}\r\n0\r\n\r\n`,
    'chunks inside gzip': `${post('Transfer-Encoding: gzip, chunked')}1e\r\n${WRONG_CODE}\r\n0\r\n\r\n`,
    'an expectation nobody meets': `${post('Content-Length: 30', 'Expect: 200-ok')}${WRONG_CODE}`,
    'an upgrade': lines(
      'GET /v1/issues HTTP/1.1',
      HOST,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Key: x',
    ),
    'two in one packet': lines('GET /v1/issues HTTP/1.1', HOST) + lines('GET /v1/balance HTTP/1.1', HOST, CLOSE),
    'a body behind a GET': `${lines('GET /v1/issues HTTP/1.1', HOST, CLOSE, 'Content-Length: 30')}${WRONG_CODE}`,
  }
}

/** Byte by byte in chunks: sixty thousand of them. */
const crumbs = (key: string): Uint8Array => {
  const body = JSON.stringify({ issueId: 'none', code: '1'.repeat(20_000) })
  const head = lines(
    'POST /v1/verify HTTP/1.1',
    HOST,
    CLOSE,
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
  )
  return Buffer.from(`${head}${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`)
}

/** Valid ones that are refused, to be mangled. */
const refused = ({ keys, url }: Target): Uint8Array[] => [
  request('GET', '/v1/issues?limit=0', bearer(keys.test)),
  request('POST', '/v1/verify', bearer(keys.test), WRONG_CODE),
  request('POST', '/v1/rpc/otp/verify', bearer(keys.test), `{"json":${WRONG_CODE}}`),
  request('POST', '/console/rpc/apps/list', { Origin: url }, '{}'),
  request('POST', '/provider-reports/main', {}, '{}'),
]

export const framing: Subject = {
  name: 'framing',
  shots: (random, target) => [
    ...Object.entries(fixed(target.keys.test)).map(
      ([what, text]): Shot => ({ what, request: Buffer.from(text, 'latin1'), isBroken: true }),
    ),
    { what: 'a body in crumbs', request: crumbs(target.keys.test) },
    ...Array.from({ length: 60 }, (): Shot => {
      return { what: 'mangled', request: mangled(random, random.pick(refused(target))), isBroken: true }
    }),
  ],
}
