import { describe, expect, test } from 'bun:test'
import { validate as isUuid, version } from 'uuid'
import { Refusal } from '../../src/domain/shared/error'
import { type LedgerEntry, ledgerId, post, reserve, topUp, type Wallet } from '../../src/domain/wallet/wallet'
import fc from '../support/property'
import { NOW, RUNS, thrownBy } from './sample'

const aWallet = (changes: Partial<Wallet> = {}): Wallet => ({
  appId: 'app_one',
  balance: 0,
  reserved: 0,
  overdraftLimit: 0,
  entries: 0,
  updatedAt: NOW,
  ...changes,
})
const available = ({ balance, reserved }: Wallet) => balance - reserved

type Act =
  | { act: 'reserve'; price: number }
  | { act: 'settle' | 'release'; which: number }
  | { act: 'topUp'; amount: number }
  | { act: 'wait'; ms: number }

const acts: fc.Arbitrary<Act[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ act: fc.constant('reserve' as const), price: fc.integer({ min: 1, max: 30 }) }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ act: fc.constantFrom<'settle' | 'release'>('settle', 'release'), which: fc.nat(9) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ act: fc.constant('topUp' as const), amount: fc.integer({ min: 1, max: 60 }) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ act: fc.constant('wait' as const), ms: fc.integer({ min: -90_000, max: 90_000 }) }),
    },
  ),
  { maxLength: 60, size: 'max' },
)

/** An app's credit over time; every reservation ends once, by a debit or without. */
class Account {
  now = NOW
  readonly ledger: LedgerEntry[] = []
  readonly open: number[] = []
  refused = 0
  constructor(public wallet: Wallet) {}

  happen(act: Act): void {
    if (act.act === 'wait') this.now += act.ms
    else if (act.act === 'topUp') this.#write(topUp(this.wallet, { amount: act.amount }, this.now))
    else if (act.act === 'reserve') this.#reserve(act.price)
    else this.#end(act.act, act.which)
  }

  #reserve(price: number): void {
    const fits = available(this.wallet) - price >= -this.wallet.overdraftLimit
    try {
      this.wallet = reserve(this.wallet, price)
      this.open.push(price)
      expect(fits).toBe(true)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      expect([error.kind, fits]).toEqual(['no_credit', false])
      this.refused++
    }
  }

  #end(act: 'settle' | 'release', which: number): void {
    const [price] = this.open.splice(which % Math.max(this.open.length, 1), 1)
    if (price === undefined) return
    const freed = { ...this.wallet, reserved: this.wallet.reserved - price }
    if (act === 'release') this.wallet = freed
    else this.#write(post(freed, { entryType: 'debit', amountDelta: -price, issueId: 'i' }, this.now))
  }

  #write({ wallet, entry }: { wallet: Wallet; entry: LedgerEntry }): void {
    this.wallet = wallet
    this.ledger.push(entry)
  }
}

const holds = (promise: (account: Account) => void) => {
  let refused = 0
  fc.assert(
    fc.property(fc.nat(50), acts, (overdraftLimit, story) => {
      const account = new Account(aWallet({ overdraftLimit }))
      for (const act of story) {
        account.happen(act)
        promise(account)
      }
      refused += account.refused
    }),
    RUNS,
  )
  expect(refused).toBeGreaterThan(0)
}

describe('any story of reservations, settlements and top-ups', () => {
  test('the balance is the sum of the ledger and what its newest entry says', () => {
    holds(({ wallet, ledger }) => {
      expect(wallet.balance).toBe(ledger.reduce((sum, { amountDelta }) => sum + amountDelta, 0))
      expect(wallet.balance).toBe(ledger.at(-1)?.balanceAfter ?? 0)
    })
  })

  test('what is reserved is what is open, and never negative', () => {
    holds(({ wallet, open }) => {
      expect(wallet.reserved).toBe(open.reduce((sum, price) => sum + price, 0))
      expect(wallet.reserved).toBeGreaterThanOrEqual(0)
    })
  })

  test('the available credit never goes further below zero than the overdraft', () => {
    holds(({ wallet }) => expect(available(wallet)).toBeGreaterThanOrEqual(-wallet.overdraftLimit))
  })

  test('entries are numbered without gaps, and their times never go back, even where the clock does', () => {
    holds(({ wallet, ledger }) => {
      expect(ledger.map(({ seq }) => seq)).toEqual(ledger.map((_, index) => index + 1))
      expect(wallet.entries).toBe(ledger.length)
      const times = ledger.map(({ createdAt }) => createdAt)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
    })
  })
})

describe('a reservation', () => {
  test('takes the available credit to zero, and no further', () => {
    const wallet = aWallet({ balance: 10, reserved: 4 })
    expect(reserve(wallet, 6)).toEqual({ ...wallet, reserved: 10 })
    expect(thrownBy(() => reserve(wallet, 7))).toMatchObject({
      kind: 'no_credit',
      detail: { code: 'INSUFFICIENT_CREDIT' },
    })
  })

  test('takes the available credit to the overdraft, and no further', () => {
    const wallet = aWallet({ overdraftLimit: 5 })
    expect(reserve(wallet, 5).reserved).toBe(5)
    expect(thrownBy(() => reserve(wallet, 6))).toMatchObject({
      kind: 'no_credit',
      detail: { code: 'OVERDRAFT_LIMIT_EXCEEDED' },
    })
  })

  test('leaves the balance and the ledger alone', () => {
    const wallet = aWallet({ balance: 3, entries: 1 })
    expect(reserve(wallet, 3)).toEqual({ ...wallet, reserved: 3 })
  })
})

describe('a top-up', () => {
  test.each([1, 1_000_000_000])('of %d writes a credit entry', (amount) => {
    const { wallet, entry } = topUp(aWallet({ balance: 7, entries: 3 }), { amount }, NOW + 1)
    expect(entry).toEqual({
      appId: 'app_one',
      seq: 4,
      entryType: 'credit',
      amountDelta: amount,
      balanceAfter: 7 + amount,
      issueId: undefined,
      reference: undefined,
      createdAt: NOW + 1,
    })
    expect(wallet).toEqual(aWallet({ balance: 7 + amount, entries: 4, updatedAt: NOW + 1 }))
  })

  test.each([0, -1, 0.5, 1_000_000_001, Number.NaN, Number.POSITIVE_INFINITY])('of %d is refused', (amount) => {
    expect(thrownBy(() => topUp(aWallet(), { amount }, NOW))).toMatchObject({ kind: 'invalid' })
  })
})

describe('the id of a ledger entry', () => {
  const entries = fc.record({
    appId: fc.constantFrom('app_one', 'app_two'),
    seq: fc.integer({ min: 1, max: 2 ** 40 - 1 }),
    createdAt: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  })

  test('is a UUID', () => {
    fc.assert(
      fc.property(entries, (entry) => {
        const id = ledgerId(entry)
        expect([isUuid(id), version(id)]).toEqual([true, 8])
      }),
      RUNS,
    )
  })

  test('follows from what never changes, and is another for each entry of any app', () => {
    fc.assert(
      fc.property(entries, entries, (one, other) => {
        expect(ledgerId({ ...one })).toBe(ledgerId(one))
        for (const changed of [
          { ...one, appId: other.appId },
          { ...one, seq: other.seq },
          { ...one, createdAt: other.createdAt },
        ])
          expect(ledgerId(changed) === ledgerId(one)).toBe(Bun.deepEquals(changed, one))
      }),
      RUNS,
    )
  })

  test('sorts as the entries of an app do: by time, then by position', () => {
    const near = fc.record({
      seq: fc.integer({ min: 1, max: 70_000 }),
      createdAt: fc.integer({ min: NOW, max: NOW + 3 }),
    })
    fc.assert(
      fc.property(near, near, (a, b) => {
        const order = Math.sign(a.createdAt - b.createdAt || a.seq - b.seq)
        const [idA, idB] = [a, b].map((entry) => ledgerId({ appId: 'app_one', ...entry })) as [string, string]
        expect(idA < idB ? -1 : idA > idB ? 1 : 0).toBe(order)
      }),
      RUNS,
    )
  })

  test('is the same in every release: callers keep it', () => {
    expect(ledgerId({ appId: 'app_one', seq: 70_000, createdAt: Date.UTC(2026, 0, 15) })).toBe(
      '019bbef3-b000-8000-8001-1170541e3536',
    )
  })
})
