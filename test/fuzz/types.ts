/** What a body says it is: types, charsets, encodings; and bodies that are what they say. */
import { gzipSync } from 'node:zlib'
import { consoleRpc, type Door, knock, rest, rpc, type Shot, type Subject } from './shot'

const JSON_TYPES = [
  'application/json',
  'Application/JSON; Charset="UTF-8"',
  'application/json;charset=utf-8;charset=utf-16',
  'application/json; charset=utf-16',
  'application/json; charset=""',
  `application/json; ${'a='.repeat(3_000)}`,
  `application/json${';'.repeat(6_000)}`,
  'application/json, text/plain',
  'application/json/',
  'application/jsonp',
  'application/problem+json',
  'text/json',
  'text/plain',
  'text/html',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  '*/*',
  ';',
  ',',
  '',
  '\xff',
]

const ENCODINGS = ['gzip', 'deflate', 'br', 'zstd', 'identity', 'identity, gzip', 'chunked', '', 'x'.repeat(6_000)]

const WRONG = { issueId: 'none', code: '12' }
const FORM = 'issueId=none&code=12'
const PARTS = ['--x', 'Content-Disposition: form-data; name="issueId"', '', 'none', '--x--', ''].join('\r\n')

/** 60 MB of one letter, packed into less than a body may have. */
const BOMB = gzipSync(Buffer.alloc(60_000_000, 0x61))

export const types: Subject = {
  name: 'types',
  shots: (_, target) => {
    const doors: Door[] = [
      rest(target, 'verify'),
      rpc(target, 'verify'),
      consoleRpc(target, 'apps/create', 'viewer'),
      { name: 'report', path: '/provider-reports/main', headers: {} },
    ]
    return doors.flatMap((door): Shot[] => {
      const input = door.name.startsWith('REST') ? WRONG : { json: WRONG }
      return [
        ...JSON_TYPES.map((type) => knock(door, `type ${type.slice(0, 60)}`, input, { 'Content-Type': type })),
        ...ENCODINGS.map((encoding) =>
          knock(door, `encoding ${encoding.slice(0, 20)}`, input, { 'Content-Encoding': encoding }),
        ),
        knock(door, 'gzip that is gzip', gzipSync(JSON.stringify(input)), { 'Content-Encoding': 'gzip' }),
        knock(door, 'gzip of 60 MB', BOMB, { 'Content-Encoding': 'gzip' }),
        knock(door, 'a form', FORM, { 'Content-Type': 'application/x-www-form-urlencoded' }),
        knock(door, 'a form of parts', PARTS, { 'Content-Type': 'multipart/form-data; boundary=x' }),
        knock(door, 'UTF-16', Buffer.from(`\ufeff${JSON.stringify(input)}`, 'utf16le'), {
          'Content-Type': 'application/json; charset=utf-16',
        }),
        knock(door, 'another method', input, { 'X-HTTP-Method-Override': 'DELETE' }),
      ]
    })
  },
}
