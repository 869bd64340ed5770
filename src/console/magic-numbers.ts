/** Which magic number a test issue went to. Issues keep hashes only, but there are few magic numbers to try. */
import type { Issue } from '../domain/codes/issue'
import { magicRecipient, type Recipient } from '../domain/phone/phone'
import type { Clock } from '../ports/clock'
import type { Vault } from '../ports/vault'

const two = (number: number) => String(number).padStart(2, '0')
const hundred = (prefix: string) => Array.from({ length: 100 }, (_, xx) => prefix + two(xx))

/** By country; the third has one set for each area code. */
const NUMBERS: Readonly<Record<string, () => string[]>> = {
  KR: () => hundred('+8210000000'),
  GB: () => hundred('+4477009000'),
  US: () => Array.from({ length: 1_000 }, (_, area) => hundred(`+1${String(area).padStart(3, '0')}55501`)).flat(),
}

/** What takes a millisecond or two. */
const HASHED_AT_ONCE = 1_000

type KnownRecipients = Map<string, Recipient>

export class MagicNumbers {
  readonly #known = new Map<string, Promise<KnownRecipients>>()

  constructor(private readonly deps: { vault: Pick<Vault, 'phoneHash'>; clock: Pick<Clock, 'after'> }) {}

  async of({ phoneHash, country = '' }: Pick<Issue, 'phoneHash' | 'country'>): Promise<Recipient | undefined> {
    return (await this.#ofCountry(country))?.get(keyOf(phoneHash))
  }

  #ofCountry(country: string): Promise<KnownRecipients> | undefined {
    const numbers = Object.hasOwn(NUMBERS, country) ? NUMBERS[country] : undefined
    if (!numbers) return undefined
    const known = this.#known.get(country) ?? this.#hashed(numbers())
    this.#known.set(country, known)
    return known
  }

  /** When the first issue of the country is looked at; others have their turn meanwhile, for there are 100,000 in one. */
  async #hashed(numbers: string[]): Promise<KnownRecipients> {
    const { vault, clock } = this.deps
    const known: KnownRecipients = new Map()
    for (const [index, number] of numbers.entries()) {
      const recipient = magicRecipient(number)
      if (recipient) known.set(keyOf(vault.phoneHash(recipient.identity)), recipient)
      if (index % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) await new Promise<void>((resolve) => clock.after(0, resolve))
    }
    return known
  }
}

const keyOf = (hash: Uint8Array) => Buffer.from(hash).toString('base64')
