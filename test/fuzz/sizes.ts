/** Bodies around the limit and far beyond it, and headers as long as Bun lets them be. */
import {
  type Body,
  bytesOf,
  consoleRpc,
  type Door,
  type Headers,
  knock,
  request,
  rest,
  rpc,
  type Shot,
  type Subject,
} from './shot'

const LIMIT = 64 * 1024

/** A refused request of exactly so many bytes. */
function filled(bytes: number, isRpc: boolean): string {
  const wrap = (code: string) => JSON.stringify(isRpc ? { json: { code } } : { code })
  return wrap('1'.repeat(bytes - wrap('').length))
}

const chunked = ({ path, headers }: Door, body: Body, size: number): Uint8Array => {
  const bytes = bytesOf(body)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  )
  return Buffer.concat([
    request('POST', path, { ...headers, 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' }),
    ...chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ])
}

const HEADERS: Record<string, Headers> = {
  'a key of 12 KB': { Authorization: `Bearer ${'a'.repeat(12_000)}` },
  'a key behind 12,000 spaces': { Authorization: `Bearer ${' '.repeat(12_000)}a b` },
  'a key before 12,000 spaces': { Authorization: `Bearer a${' '.repeat(12_000)}b` },
  'two thousand hops': { 'X-Forwarded-For': Array(1_200).fill('10.0.0.1').join(',') },
  'hops of IPv6': { 'X-Forwarded-For': Array(300).fill('::ffff:10.0.0.1').join(', ') },
  'one hop of colons': { 'X-Forwarded-For': `${':'.repeat(12_000)}` },
  'one hop of groups': { 'X-Forwarded-For': `${'1:'.repeat(6_000)}` },
  'one hop of dots': { 'X-Forwarded-For': `${'1.'.repeat(6_000)}` },
  'one hop with a zone': { 'X-Forwarded-For': `fe80::1%${'a'.repeat(12_000)}` },
  'twelve thousand hops of nothing': { 'X-Forwarded-For': ','.repeat(12_000) },
  'a cookie of 12 KB': { Cookie: `__Host-watchword=${'a'.repeat(12_000)}` },
  'six thousand cookies': { Cookie: 'a;'.repeat(6_000) },
  'cookies of one name': { Cookie: '__Secure-watchword=a; '.repeat(500) },
  'an origin of 12 KB': { Origin: `http://localhost:${'1'.repeat(12_000)}` },
  'an idempotency key of 12 KB': { 'Idempotency-Key': 'k'.repeat(12_000) },
  'an idempotency key of spaces': { 'Idempotency-Key': `k${' '.repeat(12_000)}k` },
  'a request id of 12 KB': { 'X-Request-Id': 'a'.repeat(12_000) },
  'encodings without end': { 'Accept-Encoding': 'gzip;q=0.1,'.repeat(1_000) },
  'a type of 12 KB': { 'Content-Type': `application/json;${' charset'.repeat(1_500)}` },
  'a hundred and fifty headers': Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`X-${index}`, 'a'])),
  'a host of 12 KB': { Host: `${'a.'.repeat(6_000)}example` },
}

export const sizes: Subject = {
  name: 'sizes',
  shots: (random, target) => {
    const doors: Door[] = [
      rest(target, 'verify'),
      rpc(target, 'verify'),
      consoleRpc(target, 'apps/create', 'viewer'),
      consoleRpc(target, 'session/signIn', 'nobody'),
      { name: 'report', path: '/provider-reports/main', headers: {} },
    ]
    const bodies = doors.flatMap((door) =>
      [LIMIT - 1, LIMIT, LIMIT + 1, 2 * LIMIT, 2 ** 20].flatMap((size): Shot[] => {
        const body = filled(size, !door.name.startsWith('REST'))
        return [
          knock(door, `${size} bytes`, body),
          {
            what: `${door.name}: ${size} bytes in chunks`,
            request: chunked(door, body, random.pick([1_000, LIMIT, 2 ** 20])),
          },
        ]
      }),
    )
    const announced = doors.map(({ name, path, headers }): Shot => {
      return {
        what: `${name}: a length of 1 TB`,
        request: request('POST', path, { ...headers, 'Content-Length': `${2 ** 40}` }),
        isBroken: true,
      }
    })
    const headed = Object.entries(HEADERS).flatMap(([what, headers]) =>
      doors.map((door) => knock(door, what, '{"issueId":"none","code":"12"}', headers)),
    )
    return [...bodies, ...announced, ...headed]
  },
}
