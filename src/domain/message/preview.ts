/** What a message made from a template looks like, with a made-up code. */

import type { MessageType } from '../shared/value'
import { type Texts, withAutofill } from './rendered-message'
import { encodeText } from './sms-encoding'
import { assertTemplate, eucKrBytes, inLanguage, messageTypeFor, render, type Template } from './template'

export const SAMPLE_CODE = '123456'

export interface Preview {
  /** As an SMS has it. */
  text: string
  /** In EUC-KR, as Korean carriers count. */
  bytes: number
  messageType: MessageType
  /** Messages that carriers elsewhere would cut it into, and how they write it. */
  segments: number
  encoding: 'GSM-7' | 'UCS-2'
}

export interface PreviewOptions {
  /** A tag; undefined: the template's own language. */
  locale?: string | undefined
  values: Readonly<Record<string, string>>
  /** How the app's texts are written. */
  texts: Texts
}

/** Throws `invalid` for a template or values that no message can be made of. */
export function preview(template: Template, { locale, values, texts }: PreviewOptions): Preview {
  assertTemplate(template)
  const text = withAutofill(render(inLanguage(template, locale), values, SAMPLE_CODE), texts, SAMPLE_CODE)
  const { parts, dataCoding } = encodeText(text, 0)
  return {
    text,
    bytes: eucKrBytes(text),
    messageType: messageTypeFor(text, undefined),
    segments: parts.length,
    encoding: dataCoding === 0 ? 'GSM-7' : 'UCS-2',
  }
}
