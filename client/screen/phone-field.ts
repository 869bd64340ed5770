/** The field of the number: its country, the list to choose from, and how the number is written. It is loaded on demand. */

import type { Texts } from '../texts/texts'
import { plainNumber } from '../typed-text'
import { adoptStyle } from './adopt-style'
import { type Country, callingCodeOf, countriesIn, countryOf, countryWith } from './countries'
import { openCountryPicker } from './country-picker'
import { flagOf } from './flag'
import { type FormatPhoneNumber, isInternational, typedNumber, typedOf, wholeNumber } from './number'
import { PICKER_STYLE } from './picker-style'

export interface PhoneNodes {
  /** The box around the others. */
  box: HTMLElement
  button: HTMLButtonElement
  flag: HTMLElement
  callingCode: HTMLElement
  phone: HTMLInputElement
}

export interface PhoneSettings {
  texts: Texts
  language: string
  /** Selected at first; that of the browser's language when omitted. */
  country?: string | undefined
  /** All when omitted. */
  countries?: readonly string[] | undefined
  format?: FormatPhoneNumber | undefined
}

type Formats = typeof import('./formats')

export class PhoneField {
  readonly #nodes: PhoneNodes
  #settings: PhoneSettings
  #countries: Country[] = []
  #country = ''
  #formats: Formats | undefined

  constructor(nodes: PhoneNodes, settings: PhoneSettings, until?: AbortSignal) {
    this.#nodes = nodes
    this.#settings = settings
    const { box, button, phone } = nodes
    adoptStyle(box, PICKER_STYLE)
    const options = until ? { signal: until } : {}
    phone.addEventListener(
      'input',
      (event) => {
        const { isComposing, inputType } = event as InputEvent
        if (!isComposing) this.#write(inputType?.startsWith('delete') ?? false)
      },
      options,
    )
    phone.addEventListener('compositionend', () => this.#write(false), options)
    box.addEventListener('focusin', () => void this.#load(), options)
    button.addEventListener('click', () => this.#choose(), options)
    this.set(settings)
    if (box.matches(':focus-within')) void this.#load()
  }

  /** The country stays where it is still one of the choices. */
  set(settings: PhoneSettings): void {
    const isAnother = settings.country !== this.#settings.country
    this.#settings = settings
    const { language, countries, country = '' } = settings
    this.#countries = countriesIn(language, countries)
    const codes = this.#countries.map(({ code }) => code)
    const wanted = [isAnother ? '' : this.#country, country, countryOf(navigator.language)]
    this.#take(wanted.find((code) => codes.includes(code)) ?? codes[0] ?? '')
  }

  /** The number as it is sent; undefined where nothing was typed. */
  async number(): Promise<string | undefined> {
    const { value } = this.#nodes.phone
    const whole = wholeNumber(value, callingCodeOf(this.#country) ?? '')
    if (whole === undefined) return undefined
    const formats = await this.#load()
    return formats?.internationalOf(value, this.#country) ?? whole
  }

  /** Shows the number that was entered before a reload. */
  async recall(phoneNumber: string): Promise<void> {
    const { phone } = this.#nodes
    if (phoneNumber === '' || phone.value !== '') return
    const formats = await this.#load()
    if (phone.value !== '') return
    this.#take(this.#offered(countryWith(phoneNumber, this.#country)))
    const typed = typedOf(phoneNumber, callingCodeOf(this.#country) ?? '')
    phone.value = isInternational(typed) ? typed : (formats?.nationalOf(phoneNumber) ?? typed)
  }

  #load(): Promise<Formats | undefined> {
    return import('./formats').then(
      (formats) => {
        if (!this.#formats) {
          this.#formats = formats
          if (this.#nodes.phone.value !== '') this.#write(false)
        }
        return formats
      },
      // Numbers are sent as they are typed.
      () => undefined,
    )
  }

  #choose(): void {
    const { box, button, phone } = this.#nodes
    if (button.getAttribute('aria-disabled') === 'true') return
    openCountryPicker({
      ...{ box, texts: this.#settings.texts, countries: this.#countries, chosen: this.#country },
      choose: (country) => {
        this.#take(country)
        // The calling code that was typed belongs to another country.
        if (isInternational(phone.value)) phone.value = ''
        this.#write(false)
        phone.focus()
      },
    })
  }

  #write(isDeletion: boolean): void {
    const { phone } = this.#nodes
    const { value: before, selectionEnd } = phone
    this.#take(this.#offered(countryWith(plainNumber(before), this.#country)))
    const format = this.#settings.format ?? this.#formats?.formatTyped
    const typed = { value: before, caret: selectionEnd ?? before.length, country: this.#country }
    const { value, caret } = typedNumber({ ...typed, format, isDeletion })
    if (value === before) return
    phone.value = value
    phone.setSelectionRange(caret, caret)
  }

  #offered(country: string): string {
    return this.#countries.some(({ code }) => code === country) ? country : this.#country
  }

  #take(country: string): void {
    const { button, flag, callingCode, phone } = this.#nodes
    this.#country = country
    const code = `+${callingCodeOf(country)}`
    const name = this.#countries.find((each) => each.code === country)?.name
    flag.textContent = flagOf(country)
    callingCode.textContent = isInternational(phone.value) ? '' : code
    button.value = country
    button.setAttribute('aria-label', `${this.#settings.texts.country}: ${name} ${code}`)
    button.disabled = this.#countries.length < 2
  }
}
