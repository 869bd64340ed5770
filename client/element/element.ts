/** The element `<watchword-verify>`: a phone verification screen for any page. */
import {
  createFlow,
  type Flow,
  type FlowOptions,
  type FlowState,
  type FlowStorage,
  type FlowTransport,
  type ScreenChallenge,
  type ScreenSettings,
} from '../flow'
import { readCode } from '../flow/code'
import type { Channel } from '../flow/internal-state'
import { IDLE } from '../flow/state'
import { adoptStyle } from '../screen/adopt-style'
import { markBox, readCodes } from '../screen/fields'
import { node } from '../screen/node'
import type { FormatPhoneNumber } from '../screen/number'
import type { PhoneField, PhoneSettings } from '../screen/phone-field'
import { isAtRest, needsChallenge, otherWayOf, type Step, stepOf } from '../screen/step'
import { STYLE } from '../screen/style'
import { listenForMessages } from '../screen/web-otp'
import type { Texts } from '../texts/texts'
import { HOST_STYLE } from './host-style'
import { languageOf, loadTexts, textsIn } from './language'
import { Screen } from './screen'

/** Detail of the event `verified`. The page's backend must check the proof. */
export interface VerifiedDetail {
  phoneNumber: string
  issueId?: string | undefined
  verifiedAt?: string | undefined
  /** The proof for your backend; see `verifyProof` in `@watchword/client/server`. */
  proof?: string | undefined
  /** The answer of `verify`; undefined after a reload. */
  answer?: unknown
}

/** Detail of the event `failed`: there is no code that can be entered. */
export interface FailedDetail {
  status: 'locked' | 'failed'
  reason: string
  /** The last error, for a log. */
  error?: unknown
}

export interface WatchwordVerifyEventMap extends HTMLElementEventMap {
  verified: CustomEvent<VerifiedDetail>
  statechange: CustomEvent<FlowState>
  failed: CustomEvent<FailedDetail>
}

/** On a server there is no `HTMLElement`, but the module can be imported. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement)

/** Attributes whose change restarts the flow, and attributes that change only the screen. */
const OF_THE_FLOW = ['key', 'url', 'action', 'purpose', 'channels']
const OF_THE_VIEW = ['lang', 'country', 'countries', 'challenge', 'theme', 'preset', 'consent']
const PROPERTIES = ['transport', 'texts', 'format', 'input', 'storage'] as const

export class WatchwordVerify extends Base {
  static readonly formAssociated = true
  static readonly observedAttributes = [...OF_THE_FLOW, ...OF_THE_VIEW, 'required']

  readonly #internals = this.attachInternals()
  readonly #root = this.attachShadow({ mode: 'open', delegatesFocus: true })
  readonly #screen = new Screen()
  #flow: Flow | undefined
  #close = () => {}
  #shown: FlowState = IDLE
  #step: Step = 'number'
  #told = newsIn(IDLE)
  /** Whether the focus is within the element, so that it moves with the screen. */
  #isUsed = false
  #field: PhoneField | undefined
  /** The settings of the key, as the service answers them. */
  #settings: ScreenSettings = {}
  #widget: HTMLElement | undefined
  #error: unknown
  #language = 'en'
  /** Undefined until they are loaded. */
  #all: Texts | undefined

  #transport: FlowTransport | undefined
  #texts: Partial<Texts> | undefined
  #format: FormatPhoneNumber | undefined
  #input: FlowOptions['input']
  #storage: FlowStorage | undefined = sessionStorageIfAny()

  constructor() {
    super()
    adoptStyle(this.#root, HOST_STYLE + STYLE)
    this.#root.append(this.#screen.form)
    this.#listen()
  }

  /** Functions of the page that replace `key` and `url`, or `action`. */
  get transport(): FlowTransport | undefined {
    return this.#transport
  }
  set transport(transport: FlowTransport | undefined) {
    this.#transport = transport
    this.#restart()
  }

  /** Texts that replace those of the language. */
  get texts(): Partial<Texts> | undefined {
    return this.#texts
  }
  set texts(texts: Partial<Texts> | undefined) {
    this.#texts = texts
    this.#name()
  }

  /** How numbers are written while they are typed; as they are typed when omitted. */
  get format(): FormatPhoneNumber | undefined {
    return this.#format
  }
  set format(format: FormatPhoneNumber | undefined) {
    this.#format = format
    if (this.#all) this.#field?.set(this.#phoneSettings(this.#all))
  }

  /** Further fields of each `issue` request: `templateId`, `expiresInSec`, … */
  get input(): FlowOptions['input'] {
    return this.#input
  }
  set input(input: FlowOptions['input']) {
    this.#input = input
    this.#restart()
  }

  /** Storage that keeps the flow over a reload: by default the page's session storage; `undefined`: none. */
  get storage(): FlowStorage | undefined {
    return this.#storage
  }
  set storage(storage: FlowStorage | undefined) {
    this.#storage = storage
    this.#restart()
  }

  get state(): FlowState {
    return this.#flow?.getSnapshot() ?? IDLE
  }

  /** Form value of a verified element: the proof, or the issue id where there is no proof. */
  get value(): string {
    const { state } = this
    return state.status === 'verified' ? (state.proof ?? state.issueId ?? '') : ''
  }

  get form(): HTMLFormElement | null {
    return this.#internals.form
  }

  get validity(): ValidityState {
    return this.#internals.validity
  }

  /** Returns to the beginning and clears the storage. */
  reset(): void {
    this.#flow?.reset()
    this.#screen.phone.value = ''
  }

  connectedCallback(): void {
    for (const property of PROPERTIES) this.#takeOver(property)
    this.#name()
    this.#begin()
  }

  disconnectedCallback(): void {
    // The element may be moved within the page.
    queueMicrotask(() => {
      if (!this.isConnected) this.#end()
    })
  }

  attributeChangedCallback(name: string): void {
    if (OF_THE_FLOW.includes(name)) this.#restart()
    if (OF_THE_VIEW.includes(name)) this.#name()
    if (name === 'required' && this.isConnected) this.#look()
  }

  formResetCallback(): void {
    this.reset()
  }

  formDisabledCallback(isDisabled: boolean): void {
    this.#screen.fieldset.disabled = isDisabled
  }

  override addEventListener<K extends keyof WatchwordVerifyEventMap>(
    type: K,
    listener: (this: WatchwordVerify, event: WatchwordVerifyEventMap[K]) => unknown,
    options?: boolean | AddEventListenerOptions,
  ): void
  override addEventListener(...given: Parameters<HTMLElement['addEventListener']>): void {
    super.addEventListener(...given)
  }

  /** A page may have set the property before the element was defined. */
  #takeOver(property: (typeof PROPERTIES)[number]): void {
    if (!Object.hasOwn(this, property)) return
    const { [property]: value } = this
    Reflect.deleteProperty(this, property)
    Reflect.set(this, property, value)
  }

  #begin(): void {
    if (this.#flow || !this.isConnected) return
    const purpose = this.getAttribute('purpose') ?? 'verification'
    const transport = this.#transport ?? this.#namedTransport()
    const flow = createFlow({
      ...{ transport, purpose },
      // The message is in the language of the screen.
      input: { locale: this.#language, ...(this.#channels[0] && { channel: this.#channels[0] }), ...this.#input },
      ...(this.#storage && { storage: this.#storage, storageKey: `watchword-verify ${purpose} ${this.id}` }),
      onError: (error) => {
        this.#error = error
      },
    })
    this.#flow = flow
    void this.#field?.recall(this.state.phoneNumber)
    const gone = new AbortController()
    void this.#askSettings(transport, gone.signal)
    const ends = [
      flow.subscribe(() => this.#look()),
      listenForMessages(flow, (code) => this.#check(code)),
      () => gone.abort(),
    ]
    this.#close = () => {
      for (const end of ends) end()
      flow.close()
    }
    this.#look()
  }

  #end(): void {
    this.#close()
    this.#flow = undefined
  }

  /** Restarts the flow once all attributes of this turn are set. */
  #restart(): void {
    if (!this.#flow) return
    this.#end()
    queueMicrotask(() => this.#begin())
  }

  /**
   * It is loaded at once, but nothing waits for it: a browser that goes offline later would not load it any more. A secret
   * key is reported, too.
   */
  #namedTransport(): FlowTransport {
    const [action, url, key] = ['action', 'url', 'key'].map((name) => this.getAttribute(name))
    const load = async () => (await import('./transports')).transportOf({ action, url, key })
    load().catch(reportError)
    return {
      issue: async (...given) => (await load()).issue(...given),
      verify: async (...given) => (await load()).verify(...given),
      delivery: async (...given) => (await load()).delivery?.(...given),
      screen: async (...given) => (await load()).screen?.(...given),
    }
  }

  /** The field is useful without its list and its formats, which come a moment later. */
  async #phoneField(texts: Texts): Promise<PhoneField> {
    const { PhoneField } = await import('../screen/phone-field')
    if (!this.#field) {
      this.#field = new PhoneField(this.#screen, this.#phoneSettings(texts))
      void this.#field.recall(this.state.phoneNumber)
    }
    return this.#field
  }

  /** Where nothing is known, all countries are offered, and the service refuses some. */
  async #askSettings(transport: FlowTransport, signal: AbortSignal): Promise<void> {
    if (this.hasAttribute('countries') && this.#challenge) return
    const settings = await transport.screen?.({ signal }).catch(() => undefined)
    if (!settings || signal.aborted) return
    this.#settings = settings
    if (this.#all) this.#field?.set(this.#phoneSettings(this.#all))
  }

  /** `turnstile SITEKEY`, or what the service says. */
  get #challenge(): ScreenChallenge | undefined {
    const [vendor, siteKey] = this.getAttribute('challenge')?.split(/[\s:]+/) ?? []
    return vendor && siteKey ? ({ vendor, siteKey } as ScreenChallenge) : this.#settings.challenge
  }

  /** Shows the widget that the service asks for, and sends its token with the next request. */
  async #prove(challenge: ScreenChallenge): Promise<void> {
    this.#widget ??= this.appendChild(node('div', { slot: 'challenge' }))
    const { tokenOf } = await import('../screen/challenge')
    const token = await tokenOf(challenge, this.#widget)
    if (!needsChallenge(this.state)) return
    if (this.#step === 'number') void this.#send(token)
    else void this.#flow?.resend({ challenge: token })
  }

  #phoneSettings(texts: Texts): PhoneSettings {
    return {
      ...{ texts, language: this.#language, format: this.#format },
      country: this.getAttribute('country') ?? undefined,
      countries: this.getAttribute('countries')?.match(/[A-Z]{2}/g) ?? this.#settings.countries,
    }
  }

  get #channels(): Channel[] {
    return (this.getAttribute('channels')?.match(/sms|alimtalk/g) ?? []) as Channel[]
  }

  /** Shows the screen once the texts of its language are loaded. */
  #name(): void {
    if (!this.isConnected) return
    const inherited = this.parentElement?.closest<HTMLElement>('[lang]')?.lang
    const language = languageOf([this.lang, inherited ?? '', ...navigator.languages])
    this.#language = language
    const texts = textsIn(language)
    if (texts) this.#speak(texts)
    else void this.#load(language)
  }

  /** English where a language cannot be loaded. */
  async #load(language: string): Promise<void> {
    const texts = await loadTexts(language).catch(() => undefined)
    if (language !== this.#language) return
    this.#language = texts ? language : 'en'
    this.#speak(texts ?? (await loadTexts('en')))
  }

  #speak(texts: Texts): void {
    const { form } = this.#screen
    const all = { ...texts, ...this.#texts }
    this.#all = all
    this.#screen.name(all, this.#language)
    for (const look of ['theme', 'preset']) {
      const value = this.getAttribute(look)
      form.toggleAttribute(`data-${look}`, value !== null)
      if (value !== null) form.setAttribute(`data-${look}`, value)
    }
    this.#screen.hasConsent = this.hasAttribute('consent')
    if (this.#field) this.#field.set(this.#phoneSettings(all))
    else this.#phoneField(all).catch(() => {})
    form.hidden = false
    this.#look()
  }

  #listen(): void {
    const { form, code, resend, otherWay, changeNumber, cancel } = this.#screen
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      if (this.#step === 'number') void this.#send()
      if (this.#step === 'code') this.#check(code.value)
    })
    form.addEventListener('focusin', () => {
      this.#isUsed = true
    })
    form.addEventListener('focusout', ({ relatedTarget }) => {
      // Without a new target, the focus was on a button that is hidden now.
      if (relatedTarget instanceof Node && !form.contains(relatedTarget)) this.#isUsed = false
    })
    markBox(code)
    readCodes(code, (typed) => this.#check(typed))
    resend.addEventListener('click', () => this.#flow?.resend())
    otherWay.addEventListener('click', () => this.#flow?.resend({ channel: otherWayOf(this.state, this.#channels) }))
    changeNumber.addEventListener('click', () => this.#flow?.changeNumber())
    cancel.addEventListener('click', () => this.#flow?.cancel())
  }

  async #send(challenge?: string): Promise<void> {
    const { phone } = this.#screen
    const texts = this.#all
    if (!texts) return
    const field = await this.#phoneField(texts).catch(() => undefined)
    const number = await field?.number()
    if (number !== undefined) void this.#flow?.send(number, { challenge })
    else {
      this.#screen.forget()
      const key = field ? 'invalid_phone_number' : 'NETWORK_ERROR'
      this.#screen.say({ isError: true, text: { key }, id: 'not sent' }, texts)
      phone.setAttribute('aria-invalid', String(field !== undefined))
      phone.focus()
    }
  }

  #check(typed: string): void {
    const { code } = this.#screen
    code.value = readCode(typed) ?? typed
    const { state } = this
    void this.#flow?.submit(typed)
    if (this.state !== state || !state.can.submit) return
    // The same error occurred again, so it is announced again.
    this.#screen.forget()
    this.#look()
    code.focus()
  }

  #look(): void {
    const { state } = this
    const before = this.#shown
    const step = stepOf(state, this.#step)
    const isSomewhereElse = state.status !== before.status && isAtRest(state)
    if (state.status === 'sending' || state.status === 'idle') this.#screen.code.value = ''
    this.#shown = state
    this.#step = step
    if (this.#all) this.#screen.show(state, step, this.#all)
    if (this.#all) this.#offerOtherWay(state, step, this.#all)
    this.#takePart(state)
    const challenge = needsChallenge(state) && !needsChallenge(before) && this.#challenge
    if (challenge) this.#prove(challenge).catch(reportError)
    if (isSomewhereElse && this.#isUsed) this.#goOn(step)
    this.#tell(state)
  }

  #offerOtherWay(state: FlowState, step: Step, texts: Texts): void {
    const { otherWay } = this.#screen
    const other = otherWayOf(state, this.#channels)
    otherWay.hidden = other === undefined || step === 'number'
    otherWay.textContent = other ? texts[`by_${other}`] : ''
  }

  /** Moves the focus to the next field and selects its text. */
  #goOn(step: Step): void {
    const field = this.#screen.focusOf(step)
    field.focus()
    if (field instanceof HTMLInputElement) field.select()
  }

  /** Sets the form value. */
  #takePart(state: FlowState): void {
    const isMissing = this.hasAttribute('required') && state.status !== 'verified'
    this.#internals.setFormValue(this.value === '' ? null : this.value)
    if (isMissing)
      this.#internals.setValidity({ valueMissing: true }, this.#all?.required ?? '…', this.#screen.focusOf(this.#step))
    else this.#internals.setValidity({})
  }

  #tell(state: FlowState): void {
    const news = newsIn(state)
    if (news === this.#told) return
    this.#told = news
    const tell = (name: string, detail: object) => this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }))
    tell('statechange', state)
    const { status } = state
    if (status === 'verified') {
      const { phoneNumber, issueId, verifiedAt, proof, answer } = state
      tell('verified', { phoneNumber, issueId, verifiedAt, proof, answer } satisfies VerifiedDetail)
    }
    if (status === 'locked' || status === 'failed')
      tell('failed', { status, reason: state.reason, error: this.#error } satisfies FailedDetail)
  }
}

/** The state without its waits, which change each second. */
const newsIn = (state: FlowState): string =>
  JSON.stringify({ ...state, answer: undefined, text: undefined }, (name, value) => (name.endsWith('InMs') ? 0 : value))

/** Access to the storage may be denied. */
function sessionStorageIfAny(): FlowStorage | undefined {
  try {
    return globalThis.sessionStorage
  } catch {
    return undefined
  }
}

/** Defines the element under a name, unless the name is taken. Does nothing on a server. */
export function define(name = 'watchword-verify'): void {
  if (!globalThis.customElements || customElements.get(name)) return
  // A class can be defined under one name only.
  customElements.define(name, class extends WatchwordVerify {})
}
