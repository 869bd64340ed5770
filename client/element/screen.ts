/** The nodes of the element. All exist from the beginning; a state of the flow fills and hides them. */

import type { FlowState } from '../flow'
import type { Country } from '../screen/countries'
import { isWrong, type Said, type Step, saidIn, untilResend } from '../screen/step'
import { minutesOf, say, type Texts } from '../texts/texts'

const field = (name: string) => node('div', { class: 'field', part: `field ${name}-field` })
const action = (name: string, look: string, type = 'button') =>
  node('button', { type, id: name, class: `${look} ${name}`, part: `button ${name}` })

export class Screen {
  readonly form = node('form', { part: 'form', novalidate: '', hidden: '' })
  readonly fieldset = node('fieldset')
  readonly country = node('select', { id: 'country', part: 'input country', autocomplete: 'country' })
  readonly phone = node('input', {
    ...{ id: 'phone', part: 'input phone', type: 'tel', name: 'tel', autocomplete: 'tel-national', dir: 'ltr' },
    ...{ 'aria-describedby': 'error', required: '' },
  })
  readonly code = node('input', {
    ...{ id: 'code', part: 'input code', class: 'code', type: 'text', inputmode: 'numeric', dir: 'ltr', required: '' },
    ...{ autocomplete: 'one-time-code', 'aria-describedby': 'hint error', autocapitalize: 'off', spellcheck: 'false' },
  })
  readonly resend = action('resend', 'second')
  readonly changeNumber = action('change', 'link')
  readonly cancel = action('cancel', 'second')
  readonly status = node('p', { id: 'status', part: 'status', role: 'status', tabindex: '-1' })
  readonly error = node('p', { id: 'error', part: 'error', class: 'error', role: 'alert' })
  readonly #labels = { country: label('country'), phone_number: label('phone'), code: label('code') }
  readonly #hint = node('p', { id: 'hint', part: 'hint' })
  readonly #number = node('bdi', { part: 'number', dir: 'ltr' })
  readonly #send = action('send', 'main', 'submit')
  readonly #submit = action('submit', 'main', 'submit')
  readonly #countdown = node('span', { part: 'countdown', 'aria-hidden': 'true' })
  readonly #countryField = field('country')
  readonly #numberStep = node('div', { class: 'step', part: 'step' })
  readonly #codeField = field('code')
  readonly #chosen = node('div', { class: 'number', part: 'chosen' })
  readonly #actions = node('div', { class: 'actions', part: 'actions' })
  #saidLast = ''

  constructor() {
    const phoneField = field('phone')
    this.#countryField.append(this.#labels.country, this.country)
    phoneField.append(this.#labels.phone_number, this.phone)
    this.#numberStep.append(node('div', { class: 'fields' }, this.#countryField, phoneField))
    this.#chosen.append(this.#number, this.changeNumber)
    this.#codeField.append(this.#labels.code, this.code, this.#hint)
    this.#actions.append(this.#send, this.#submit, this.resend, this.cancel)
    this.fieldset.append(this.#chosen, this.#numberStep, this.#codeField, this.error, this.#actions)
    this.form.append(this.status, this.fieldset)
  }

  /** Sets labels in a language. */
  name(texts: Texts, countries: readonly Country[], language: string): void {
    this.form.lang = language
    for (const [key, shown] of Object.entries(this.#labels)) shown.textContent = texts[key as keyof Texts]
    this.#hint.textContent = texts.code_hint
    this.#send.textContent = texts.send
    this.#submit.textContent = texts.submit
    this.changeNumber.textContent = texts.change_number
    this.cancel.textContent = texts.cancel
    this.resend.replaceChildren(texts.send_another, this.#countdown)
    this.country.replaceChildren(
      ...countries.map(({ code, name, callingCode }) => node('option', { value: code }, `${name} +${callingCode}`)),
    )
    this.#countryField.hidden = countries.length < 2
    this.forget()
  }

  show<V>(state: FlowState<V>, step: Step, texts: Texts): void {
    const { can, phoneNumber } = state
    const isBusy = can.cancel
    this.form.setAttribute('aria-busy', String(isBusy))
    this.#numberStep.hidden = this.#send.hidden = step !== 'number'
    this.#codeField.hidden = this.#submit.hidden = step !== 'code'
    this.#chosen.hidden = step === 'number' || step === 'verified'
    this.fieldset.hidden = step === 'verified'
    this.resend.hidden = step === 'number'
    this.resend.classList.toggle('main', step === 'over')
    this.cancel.hidden = !can.cancel
    this.#number.textContent = phoneNumber
    this.phone.readOnly = this.code.readOnly = isBusy
    this.country.disabled = isBusy
    this.phone.setAttribute('aria-invalid', String(step === 'number' && isWrong(state)))
    this.code.setAttribute('aria-invalid', String(step === 'code' && isWrong(state)))
    allow(this.#send, can.send)
    allow(this.#submit, can.submit)
    allow(this.resend, can.resend)
    allow(this.changeNumber, can.changeNumber)
    const waitMs = untilResend(state)
    this.#countdown.textContent = waitMs > 0 ? ` ${minutesOf(waitMs)}` : ''
    this.say(saidIn(state), texts)
  }

  /** A countdown is shown every second, and announced once. */
  say(said: Said | undefined, texts: Texts): void {
    const sentence = said ? say(texts, said.text) : ''
    const [there, other] = said?.isError ? [this.error, this.status] : [this.status, this.error]
    const runsDown = said?.text.waitMs !== undefined
    if (!said || said.id !== this.#saidLast) {
      other.replaceChildren()
      there.replaceChildren(...(said ? spoken(sentence, runsDown) : []))
    } else if (runsDown && there.firstElementChild) there.firstElementChild.textContent = sentence
    this.#saidLast = said?.id ?? ''
  }

  /** Announces the last message again. */
  forget(): void {
    this.#saidLast = ''
  }

  /** The node that gets the focus. */
  focusOf(step: Step): HTMLElement {
    if (step === 'number') return this.phone
    if (step === 'code') return this.code
    return step === 'over' ? this.resend : this.status
  }
}

const spoken = (sentence: string, runsDown: boolean) =>
  runsDown
    ? [node('span', { 'aria-hidden': 'true' }, sentence), node('span', { class: 'spoken' }, sentence)]
    : [node('span', {}, sentence)]

const label = (of: string) => node('label', { for: of, part: `label ${of}-label` })

/** Not `disabled`, which would move the focus away from the button. */
function allow(button: HTMLButtonElement, may: boolean): void {
  button.setAttribute('aria-disabled', String(!may))
}

type Attributes = Readonly<Record<string, string>>

export function node<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Array<Node | string>
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...children)
  return made
}
