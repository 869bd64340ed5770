/** Preview of a template with a made-up code. */

import type { MessageType } from '../shared/value'
import { type Texts, withAutofill } from './rendered-message'
import { encodeText } from './sms-encoding'
import { assertTemplate, eucKrBytes, inLanguage, messageTypeFor, render, type Template } from './template'

const SAMPLE_CODE = '123456'

export interface Preview {
  /** Text of the SMS. */
  text: string
  /** The text that an AlimTalk provider fills in. */
  alimtalk: string
  /** Length in EUC-KR bytes, as Korean carriers count. */
  bytes: number
  messageType: MessageType
  /** Number of SMS segments and their encoding outside Korea. */
  segments: number
  encoding: 'GSM-7' | 'UCS-2'
}

export interface PreviewOptions {
  /** Language tag; undefined: the template's own language. */
  locale?: string | undefined
  values: Readonly<Record<string, string>>
  /** Settings of the app's texts. */
  texts: Texts
}

/** Throws `invalid` for a template or values that do not make a message. */
export function preview(template: Template, { locale, values, texts }: PreviewOptions): Preview {
  assertTemplate(template)
  const alimtalk = render(inLanguage(template, locale), values, SAMPLE_CODE)
  const text = withAutofill(alimtalk, texts, SAMPLE_CODE)
  const { parts, dataCoding } = encodeText(text, 0)
  return {
    text,
    alimtalk,
    bytes: eucKrBytes(text),
    messageType: messageTypeFor(text, undefined),
    segments: parts.length,
    encoding: dataCoding === 0 ? 'GSM-7' : 'UCS-2',
  }
}
