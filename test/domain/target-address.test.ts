import { describe, expect, test } from 'bun:test'
import {
  assertHookTarget,
  type HookUrlPolicy,
  literalAddress,
  mayReach,
  policyFor,
} from '../../src/domain/webhooks/target-address'
import fc from '../support/property'
import { RUNS, thrownBy } from './sample'

/** Inside each special range: first, last and what attackers ask for. */
const FORBIDDEN: Record<string, string[]> = {
  'this network': ['0.0.0.0', '0.255.255.255'],
  private: ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255'],
  'carrier-grade NAT': ['100.64.0.0', '100.100.100.200', '100.127.255.255'],
  loopback: ['127.0.0.0', '127.0.0.1', '127.255.255.255', '::1'],
  'link-local, where clouds answer for metadata': [
    '169.254.0.0',
    '169.254.169.254',
    '169.254.255.255',
    'fe80::',
    'febf:ffff::1',
  ],
  'a cloud host behind a public address': ['168.63.129.16'],
  'protocol assignments': ['192.0.0.0', '192.0.0.192', '192.0.0.255', '2001::', '2001:1ff:ffff::1'],
  documentation: [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.255',
    '2001:db8::1',
    '2001:db8:ffff::1',
    '3fff::1',
    '3fff:fff::1',
  ],
  benchmarking: ['198.18.0.0', '198.19.255.255', '2001:2::1'],
  multicast: ['224.0.0.0', '239.255.255.255', 'ff00::', 'ff02::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  'reserved and broadcast': ['240.0.0.0', '255.255.255.254', '255.255.255.255', '4000::', '5f00::1', 'e000::1'],
  unspecified: ['::', '0::0'],
  'unique local': ['fc00::', 'fd00:ec2::254', 'fd20:ce::254', 'fdff:ffff::1'],
  'site-local': ['fec0::', 'feff:ffff::1'],
  discard: ['100::', '100::ffff:ffff:ffff:ffff'],
  'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::FFFF:A9FE:A9FE', '0:0:0:0:0:ffff:c0a8:1'],
  'IPv4-compatible': ['::127.0.0.1', '::7f00:1', '::8.8.8.8'],
  'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:808:808'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::a9fe:a9fe'],
  '6to4': ['2002::', '2002:7f00:1::1', '2002:808:808::1', '192.88.99.1'],
  Teredo: ['2001:0:7f00:1::1', '2001:0:ffff::1'],
}

/** The next address on either side of the ranges above, and what may be asked for. */
const PUBLIC = [
  '1.0.0.0',
  '8.8.8.8',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.0',
  '168.63.129.15',
  '168.63.129.17',
  '169.253.255.255',
  '169.255.0.0',
  '172.15.255.255',
  '172.32.0.0',
  '191.255.255.255',
  '192.0.1.0',
  '192.0.3.0',
  '192.167.255.255',
  '192.169.0.0',
  '198.17.255.255',
  '198.20.0.0',
  '198.51.99.255',
  '203.0.112.255',
  '203.0.114.0',
  '223.255.255.255',
  '2001:200::1',
  '2001:4860:4860::8888',
  '2001:db7::1',
  '2001:db9::1',
  '2003::1',
  '2606:4700:4700::1111',
  '2a00::1',
  '3fff:1000::1',
  '::ffff:8.8.8.8',
  '::ffff:808:808',
]

const UNREADABLE = [
  '',
  ' ',
  'localhost',
  'example.com',
  '2130706433',
  '134744072',
  '0x08080808',
  '010.8.8.8',
  '8.8',
  '8.8.8.8 ',
  '8.8.8.8/32',
  '8.8.8.256',
  '[2606:4700::1]',
  '2606:4700::1%eth0',
  'fe80::1%eth0',
  '::ffff:8.8.8.08',
  '::ffff:0x8.8.8.8',
  '2606:4700:::1',
  '::1]@8.8.8.8/[',
]

const ipv4 = fc.ipV4()
const mapped = (address: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
  return `::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}

describe('a webhook may not be sent to', () => {
  test.each(Object.entries(FORBIDDEN))('%s', (_class, addresses) => {
    expect(addresses.filter((address) => mayReach(address, []))).toEqual([])
  })

  test.each(UNREADABLE)('%p, which is no address in one notation all agree on, whatever is allowed', (text) => {
    expect(mayReach(text, ['0.0.0.0/0', '::/0'])).toBe(false)
  })

  test('any IPv6 address outside the public block', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        // The last block is where mapped addresses lie.
        fc.pre(!/^[23][0-9a-f]{3}:/i.test(address) && !/ffff/i.test(address))
        expect(mayReach(address, [])).toBe(false)
      }),
      RUNS,
    )
  })
})

describe('a webhook may be sent to', () => {
  test.each(PUBLIC)('%s', (address) => {
    expect(mayReach(address, [])).toBe(true)
  })

  test('what the operator allows, and nothing else', () => {
    const allowed = ['10.1.0.0/16', '127.0.0.1/32', 'fd00:1::/32']
    const opened = ['10.1.0.0', '10.1.255.255', '127.0.0.1', '::ffff:127.0.0.1', '::ffff:a01:203', 'fd00:1::7']
    const closed = [
      '10.0.255.255',
      '10.2.0.0',
      '127.0.0.2',
      '::ffff:127.0.0.2',
      'fd00:2::7',
      '169.254.169.254',
      // Their IPv4 address is allowed; the relay that would unwrap it is not.
      '64:ff9b::7f00:1',
      '::127.0.0.1',
      '2002:7f00:1::1',
    ]
    expect(opened.filter((address) => !mayReach(address, allowed))).toEqual([])
    expect(closed.filter((address) => mayReach(address, allowed))).toEqual([])
    expect(mayReach('8.8.8.8', allowed)).toBe(true)
  })
})

test('an address written as IPv6 is judged like the IPv4 address it stands for', () => {
  fc.assert(
    fc.property(ipv4, (address) => {
      expect(mayReach(mapped(address), [])).toBe(mayReach(address, []))
      expect(mayReach(`::ffff:${address}`, [])).toBe(mayReach(address, []))
      expect(mayReach(mapped(address), ['10.0.0.0/8', '224.0.0.0/3'])).toBe(
        mayReach(address, ['10.0.0.0/8', '224.0.0.0/3']),
      )
    }),
    RUNS,
  )
})

const POLICY: HookUrlPolicy = { allowHttp: false, ports: [443], allowedCidrs: [] }
const check = (url: string, changes: Partial<HookUrlPolicy> = {}) => assertHookTarget(url, { ...POLICY, ...changes })
const refusal = (url: string, changes: Partial<HookUrlPolicy> = {}) => thrownBy(() => check(url, changes))

describe('the URL of a webhook', () => {
  test.each([
    'https://app.example.com/hooks?a=b&c=%20',
    'https://app.example.com',
    'HTTPS://APP.example.com:443/',
    'https://\u{1F4E8}.example/',
    'https://8.8.8.8/',
    'https://[2606:4700::1]/',
    // What it stands for is judged when a connection is made.
    'https://localhost/',
  ])('is fine: %s', (url) => {
    expect(() => check(url)).not.toThrow()
  })

  test.each<[string, string]>([
    ['', 'absolute'],
    ['app.example.com', 'absolute'],
    ['//app.example.com', 'absolute'],
    ['https:', 'absolute'],
    ['https://', 'absolute'],
    ['https:///app.example.com', 'absolute'],
    ['https:app.example.com', 'absolute'],
    ['ftp://app.example.com', 'absolute'],
    ['file:///etc/passwd', 'absolute'],
    ['javascript:alert(1)', 'absolute'],
    ['https://256.1.1.1/', 'absolute'],
    ['https://a.example:65536/', 'absolute'],
    ['http://app.example.com/', 'https'],
    ['https://user@app.example.com/', 'password'],
    ['https://:secret@app.example.com/', 'password'],
    ['https://8.8.8.8%20@127.0.0.1/', 'password'],
    ['https://app.example.com/#', 'fragment'],
    ['https://8.8.8.8#@127.0.0.1/', 'fragment'],
    ['https://app.example.com:8443/', 'port 8443'],
    ['https://app.example.com:80/', 'port 80'],
    [' https://app.example.com/', 'spaces'],
    ['https://app.exam\nple.com/', 'spaces'],
    ['https://app.example.com/\r\nX: 1', 'spaces'],
    ['https://app.example.com/\u0000', 'control'],
    ['https:\\\\app.example.com', 'backslashes'],
    ['https://8.8.8.8\\@127.0.0.1/', 'backslashes'],
  ])('is refused: %p, for its %s', (url, reason) => {
    expect(refusal(url)).toMatchObject({ kind: 'invalid', message: expect.stringContaining(reason) })
  })

  test.each([
    '127.0.0.1',
    '127.0.0.1.',
    '127.1',
    '2130706433',
    '0177.0.0.1',
    '0x7f.1',
    '0x7F000001',
    '%31%32%37.0.0.1',
    '①②⑦.⓪.⓪.①',
    '127。0。0。1',
    '0',
    '0x',
    '169.254.169.254',
    '0xa9fea9fe',
    '10.0.0.1',
    '168.63.129.16',
    '[::]',
    '[::1]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::1]',
    '[fd00:ec2::254]',
    '[fe80::1]',
  ])('is refused when its host is the address %s', (host) => {
    expect(refusal(`https://${host}/`)).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('may not be sent to the address'),
    })
  })

  test('may name an address that the operator allows', () => {
    const changes = { allowedCidrs: ['127.0.0.0/8'] }
    for (const host of ['127.0.0.1', '0x7f.1', '[::ffff:7f00:1]']) {
      expect(() => check(`https://${host}/`, changes)).not.toThrow()
    }
    expect(refusal('https://[::1]/', changes)).toMatchObject({ kind: 'invalid' })
  })

  test('may be http where the operator allows it, on the ports of the policy', () => {
    const changes = { allowHttp: true, ports: [443, 80, 8080] }
    for (const url of ['http://a.example/', 'http://a.example:80/', 'http://a.example:8080/', 'https://a.example/']) {
      expect(() => check(url, changes)).not.toThrow()
    }
    expect(refusal('http://a.example:22/', changes)).toMatchObject({ kind: 'invalid' })
    expect(refusal('http://a.example/', { allowHttp: true })).toMatchObject({ kind: 'invalid' })
  })

  test('has at most 2048 characters', () => {
    const longest = `https://a.example/${'x'.repeat(2_048 - 18)}`
    expect(() => check(longest)).not.toThrow()
    expect(refusal(`${longest}x`)).toMatchObject({ kind: 'invalid', message: expect.stringContaining('2048') })
  })

  test('may have any port where the policy lists none, but not port 0', () => {
    expect(() => check('https://a.example:1/', { ports: [] })).not.toThrow()
    expect(refusal('https://a.example:0/', { ports: [] })).toMatchObject({ kind: 'invalid' })
  })
})

test('a host name is not taken for an address', () => {
  for (const host of ['a.example', '127.0.0.1.example', 'localhost', '1.2.3.4.5.example']) {
    expect(literalAddress(new URL(`https://${host}/`))).toBeUndefined()
  }
  expect(literalAddress(new URL('https://[::1]:8443/'))).toBe('::1')
  expect(literalAddress(new URL('https://0x7f.1/'))).toBe('127.0.0.1')
})

describe('where test endpoints may be on this machine', () => {
  const policy = { ...POLICY, testOnLoopback: true }
  const check = (url: string, mode: 'live' | 'test') => assertHookTarget(url, policyFor({ url, mode }, policy))
  const LOCAL = ['http://127.0.0.1:3000/hooks', 'http://localhost:3000/', 'http://[::1]:3000/', 'http://127.1.2.3/']

  test.each(LOCAL)('%s is fine in test mode alone', (url) => {
    expect(() => check(url, 'test')).not.toThrow()
    expect(() => check(url, 'live')).toThrow()
    expect(() => assertHookTarget(url, policyFor({ url, mode: 'test' }, POLICY))).toThrow()
  })

  test.each([
    'http://app.example.com/',
    'https://app.example.com:3000/',
    'http://localhost.example.com/',
    'http://10.0.0.1:3000/',
    'http://169.254.169.254/',
    'http://0.0.0.0:3000/',
    'http://user@localhost:3000/',
  ])('%s is refused as ever', (url) => {
    expect(() => check(url, 'test')).toThrow()
  })

  test('the addresses of this machine are opened to the receiver there, and to no other', () => {
    const cidrsFor = (url: string) => policyFor({ url, mode: 'test' }, policy).allowedCidrs
    expect(mayReach('127.0.0.1', cidrsFor('http://localhost:3000/'))).toBe(true)
    expect(mayReach('::1', cidrsFor('http://localhost:3000/'))).toBe(true)
    expect(mayReach('10.0.0.1', cidrsFor('http://localhost:3000/'))).toBe(false)
    expect(mayReach('127.0.0.1', cidrsFor('https://app.example.com/'))).toBe(false)
  })
})
