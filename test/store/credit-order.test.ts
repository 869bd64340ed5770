import { expect, test } from 'bun:test'
import { inCreditOrder } from '../../src/store/postgres/batching/credit-order'
import type { BoundStatement } from '../../src/store/postgres/connection/statement'
import { plain } from '../../src/store/postgres/connection/statement'

const bound = () => []
const debit = plain('debit', bound)
const reserve = { ...plain('reserve', bound), summed: 'amount' }

const debiting = (appId: string, amount: number): BoundStatement => ({ statement: debit, values: { appId, amount } })
const reserving = (appId: string, amount: number): BoundStatement => ({ statement: reserve, values: { appId, amount } })

test('wallets come by their apps, each before what is taken from a part of it, and that once', () => {
  const writes = [
    ...[reserving('b', 1), debiting('b', 2), reserving('a', 4), debiting('b', 8)],
    ...[reserving('b', 16), debiting('a', 32), reserving('b', 64), debiting('c', 128)],
  ]
  const ordered = [
    ...[debiting('a', 32), reserving('a', 4)],
    ...[debiting('b', 2), debiting('b', 8), reserving('b', 81)],
    debiting('c', 128),
  ]
  expect(inCreditOrder(writes)).toEqual(ordered)
})
