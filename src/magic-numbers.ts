/** Which magic number a test issue went to. Issues keep hashes only, but there are few magic numbers to try. */
import type { Issue } from './domain/issue'
import { magicRecipient, type Recipient } from './domain/phone'
import type { Vault } from './ports'

const two = (number: number) => String(number).padStart(2, '0')
const hundred = (prefix: string) => Array.from({ length: 100 }, (_, xx) => prefix + two(xx))

/** By country; the third has one set for each area code. */
const NUMBERS: Readonly<Record<string, () => string[]>> = {
  KR: () => hundred('+8210000000'),
  GB: () => hundred('+4477009000'),
  US: () => Array.from({ length: 1_000 }, (_, area) => hundred(`+1${String(area).padStart(3, '0')}55501`)).flat(),
}

export class MagicNumbers {
  readonly #known = new Map<string, Map<string, Recipient>>()

  constructor(private readonly vault: Pick<Vault, 'phoneHash'>) {}

  of({ phoneHash, country = '' }: Pick<Issue, 'phoneHash' | 'country'>): Recipient | undefined {
    return this.#ofCountry(country)?.get(keyOf(phoneHash))
  }

  /** Hashed when the first issue of the country is looked at. */
  #ofCountry(country: string): Map<string, Recipient> | undefined {
    const numbers = Object.hasOwn(NUMBERS, country) ? NUMBERS[country] : undefined
    if (!numbers) return undefined
    const known = this.#known.get(country)
    if (known) return known
    const recipients = numbers().flatMap((number) => magicRecipient(number) ?? [])
    const made = new Map(recipients.map((recipient) => [keyOf(this.vault.phoneHash(recipient.identity)), recipient]))
    this.#known.set(country, made)
    return made
  }
}

const keyOf = (hash: Uint8Array) => Buffer.from(hash).toString('base64')
