/** The nodes of the element. All exist from the beginning; a state of the flow fills and hides them. */

import type { FlowState } from '../flow'
import { directionOf } from '../screen/direction'
import { shake } from '../screen/motion'
import { node } from '../screen/node'
import type { PhoneNodes } from '../screen/phone-field'
import {
  aroundNumber,
  countdownOf,
  isWrong,
  needsChallenge,
  resendText,
  type Said,
  type Step,
  saidIn,
  TICK,
  titleOf,
} from '../screen/step'
import { minutesOf, say, type Texts } from '../texts/texts'

const action = (name: string, look: string, type = 'button') =>
  node('button', { type, id: name, part: `button ${name}`, 'data-look': look })

export class Screen implements PhoneNodes {
  readonly form = node('form', { part: 'form', novalidate: '', hidden: '' })
  readonly fieldset = node('fieldset')
  readonly flag = node('span', { part: 'flag', 'aria-hidden': 'true' })
  readonly callingCode = node('span', { part: 'calling-code' })
  readonly button = node(
    'button',
    { id: 'country', part: 'country', type: 'button', 'aria-haspopup': 'dialog' },
    this.flag,
    this.callingCode,
  )
  readonly phone = node('input', {
    ...{ id: 'phone', part: 'input phone', type: 'tel', name: 'tel', autocomplete: 'tel', dir: 'ltr' },
    ...{ 'aria-describedby': 'error', required: '' },
  })
  readonly box = node('div', { part: 'box', dir: 'ltr' }, this.button, this.phone)
  readonly code = node('input', {
    ...{ id: 'code', part: 'input code', type: 'text', inputmode: 'numeric', dir: 'ltr', required: '' },
    ...{ autocomplete: 'one-time-code', 'aria-describedby': 'hint error', autocapitalize: 'off', spellcheck: 'false' },
  })
  readonly resend = action('resend', 'link')
  readonly otherWay = action('other', 'link')
  readonly changeNumber = action('change', 'link')
  readonly cancel = action('cancel', 'link')
  readonly status = node('p', { id: 'status', part: 'status', role: 'status', tabindex: '-1' })
  readonly error = node('p', { id: 'error', part: 'error', role: 'alert' })
  readonly challenge = node('div', { part: 'challenge' }, node('slot', { name: 'challenge' }))
  readonly #consent = node('p', { part: 'consent' })
  readonly #labels = { phone_number: label('phone'), code: label('code', 'spoken ') }
  readonly #title = node('h2', { part: 'title' })
  readonly #tick = tick()
  readonly #hint = node('p', { id: 'hint', part: 'spoken hint' })
  readonly #number = node('bdi', { part: 'number', dir: 'ltr' })
  readonly #before = new Text()
  readonly #after = new Text()
  readonly #chosen = node('p', { part: 'chosen' }, this.#before, this.#number, this.#after, this.changeNumber)
  readonly #send = action('send', 'main', 'submit')
  readonly #submit = action('submit', 'main', 'submit')
  readonly #countdown = node('span', { part: 'countdown', 'aria-hidden': 'true' })
  readonly #boxes = node('div', { part: 'boxes' }, ...Array.from({ length: 6 }, cell), this.code)
  readonly #numberStep = node('div', { part: 'field phone-field' }, this.#labels.phone_number, this.box)
  readonly #codeField = node('div', { part: 'field code-field' }, this.#labels.code, this.#boxes, this.#hint)
  readonly #actions = node('div', { part: 'actions' })
  /** A line about costs and consent is shown. */
  hasConsent = false
  #saidLast = ''

  constructor() {
    const logo = node('slot', { name: 'logo' })
    const header = node('div', { part: 'header' }, logo, this.#tick, this.#title, this.#chosen)
    const messages = node('div', { part: 'messages' }, this.status, this.error)
    this.#actions.append(this.#send, this.#submit, this.resend, this.otherWay, this.cancel)
    this.fieldset.append(
      header,
      this.#numberStep,
      this.#codeField,
      messages,
      this.challenge,
      this.#consent,
      this.#actions,
    )
    this.form.append(this.fieldset)
    this.form.setAttribute('data-part', 'screen')
  }

  /** Sets labels in a language. */
  name(texts: Texts, language: string): void {
    this.form.lang = language
    this.form.dir = directionOf(language)
    for (const [key, shown] of Object.entries(this.#labels)) shown.textContent = texts[key as keyof Texts]
    if (!this.button.value) this.button.setAttribute('aria-label', texts.country)
    this.#hint.textContent = texts.code_hint
    this.#send.textContent = texts.send
    this.#submit.textContent = texts.submit
    this.changeNumber.textContent = texts.change_number
    this.cancel.textContent = texts.cancel
    this.#consent.textContent = texts.consent
    this.forget()
  }

  show<V>(state: FlowState<V>, step: Step, texts: Texts): void {
    const { can, phoneNumber } = state
    const isBusy = can.cancel
    this.form.setAttribute('aria-busy', String(isBusy))
    this.form.setAttribute('data-step', step)
    this.#title.textContent = texts[titleOf(step)]
    this.#title.hidden = this.#actions.hidden = step === 'verified'
    this.#tick.toggleAttribute('hidden', step !== 'verified')
    this.#numberStep.hidden = this.#send.hidden = step !== 'number'
    this.#codeField.hidden = this.#submit.hidden = step !== 'code'
    this.#chosen.hidden = step === 'number' || step === 'verified'
    this.#consent.hidden = !this.hasConsent || step !== 'number'
    this.challenge.hidden = !needsChallenge(state)
    this.resend.hidden = step === 'number'
    this.resend.setAttribute('data-look', step === 'over' ? 'main' : 'link')
    this.cancel.hidden = !can.cancel
    this.#number.textContent = phoneNumber
    const [before = '', after = ''] = aroundNumber(state, texts.sent_to)
    this.#before.data = before
    this.#after.data = `${after} `
    this.phone.readOnly = this.code.readOnly = isBusy
    this.phone.setAttribute('aria-invalid', String(step === 'number' && isWrong(state)))
    this.code.setAttribute('aria-invalid', String(step === 'code' && isWrong(state)))
    allow(this.button, !isBusy)
    allow(this.#send, can.send)
    allow(this.#submit, can.submit)
    allow(this.resend, can.resend)
    allow(this.otherWay, can.resend)
    allow(this.changeNumber, can.changeNumber)
    const waitMs = countdownOf(state)
    this.#countdown.textContent = waitMs > 0 ? ` ${minutesOf(waitMs)}` : ''
    this.resend.replaceChildren(texts[resendText(state)], this.#countdown)
    this.say(saidIn(state), texts)
  }

  /** A countdown is shown every second, and announced once. */
  say(said: Said | undefined, texts: Texts): void {
    const sentence = said ? say(texts, said.text) : ''
    const [there, other] = said?.isError ? [this.error, this.status] : [this.status, this.error]
    const runsDown = said?.text.waitMs !== undefined
    // The heading says where it was sent.
    this.status.toggleAttribute('data-quiet', said?.text.key === 'code_sent')
    if (!said || said.id !== this.#saidLast) {
      other.replaceChildren()
      there.replaceChildren(...(said ? spoken(sentence, runsDown) : []))
      if (said?.isError) shake(this.#codeField.hidden ? this.box : this.#boxes)
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
    ? [node('span', { 'aria-hidden': 'true' }, sentence), node('span', { part: 'spoken' }, sentence)]
    : [node('span', {}, sentence)]

const label = (of: string, look = '') => node('label', { for: of, part: `${look}label ${of}-label` })

const cell = () => node('span', { part: 'cell' })

/** The page's policy may forbid markup from text. */
function tick(): SVGElement {
  const make = (name: string, attributes: Readonly<Record<string, string>>) => {
    const made = document.createElementNS('http://www.w3.org/2000/svg', name)
    for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
    return made
  }
  const picture = make('svg', { viewBox: '0 0 48 48', 'data-part': 'tick', part: 'tick', 'aria-hidden': 'true' })
  picture.append(...TICK.map((d) => make('path', { d, pathLength: '1' })))
  return picture as SVGElement
}

/** Not `disabled`, which would move the focus away from the button. */
function allow(button: HTMLButtonElement, may: boolean): void {
  button.setAttribute('aria-disabled', String(!may))
}
