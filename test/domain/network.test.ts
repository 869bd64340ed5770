import { describe, expect, test } from 'bun:test'
import { cidrContains, isNetwork, networkOf } from '../../src/domain/access/network'

describe('a network', () => {
  test.each<[string, string, boolean]>([
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.2.3', true],
    ['192.0.2.7/32', '192.0.2.7', true],
    ['192.0.2.7/32', '192.0.2.8', false],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['2001:db8::/32', '10.0.0.1', false],
    ['10.0.0.0/8', 'not an address', false],
    ['10.0.0.0/8', '', false],
  ])('%s and %p: %p', (cidr, address, expected) => {
    expect(cidrContains(cidr, address)).toBe(expected)
  })

  test.each([
    ['10.0.0.0/8', true],
    ['2001:db8::/32', true],
    ['10.1/16', false],
    ['10.0.0.0', false],
    ['10.0.0.0/33', false],
    ['::ffff:10.0.0.0/104', false],
    ['', false],
  ])('%p is written well: %p', (cidr, expected) => {
    expect(isNetwork(cidr)).toBe(expected)
  })
})

describe('whom an address counts as', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2:ffff::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::', '2001:db8:1:3::/64'],
    ['::1', '::/64'],
    ['', ''],
    ['nonsense', 'nonsense'],
  ])('%s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
