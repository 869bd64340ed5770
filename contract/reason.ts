/** Reasons of refusals that a caller can act on: all values of `data.reason`, as shown in `docs/errors.md`. */
import { z } from 'zod'

/** Meaning of each reason. Reasons may be added and texts may change; existing reasons stay. */
export const REASONS = {
  required: 'The field is missing or blank.',
  unknown_field: 'There is no such field or parameter.',
  duplicate_field: 'The field is given more than once.',
  wrong_type: 'The value has another JSON type than the field, or is not a whole number.',
  too_short: 'The text is shorter than the field allows.',
  too_long: 'The text is longer than the field allows.',
  too_small: 'The number is below the range of the field.',
  too_large: 'The number is above the range of the field.',
  too_many: 'There are more entries than the field takes.',
  not_a_choice: 'The value is not among those that the field takes.',
  invalid_format: 'The value does not have the format of the field.',
  invalid_characters: 'The text has control characters, broken Unicode, or line breaks in a field that takes none.',
  invalid_json: 'The body is not JSON in UTF-8, or it is nested too deep.',
  unsupported_media_type: 'The body is not sent as `application/json` in UTF-8, or it is compressed.',
  invalid_phone_number: 'The phone number is not valid. National numbers are read in the format of the default region.',
  ambiguous_phone_number: 'The digits may mean two phones; `+` and the country code tell which.',
  phone_number_without_texts:
    'The number has a type that cannot get a text or costs a premium, such as a fixed line or a satellite phone.',
  test_number_required: 'A test key sends to magic test numbers only.',
  test_number_in_live_mode: 'A live key does not send to magic test numbers.',
  code_not_six_digits: 'The code is not 6 digits from 0 to 9.',
  unknown_template: 'The app has no such template.',
  channel_not_supported: 'The template does not support the channel.',
  unknown_template_variable: 'The template declares no such variable.',
  template_variable_required: 'The template needs this variable.',
  template_variable_mismatch: "The value does not match the template's pattern for this variable.",
  reserved_template_variable: '`code` is filled in by the service.',
  message_too_long: 'The text is longer than the message type allows, once the code and all variables are filled in.',
  metadata_too_large: 'The metadata is more than 4,096 bytes of JSON.',
  invalid_date: 'The value is not an RFC 3339 date-time with an offset.',
  date_range_reversed: '`createdTo` is not later than `createdFrom`.',
  invalid_cursor: 'The cursor is not the `nextCursor` of a page of this list.',
  idempotency_key_required: 'Neither the `Idempotency-Key` header nor the field `idempotencyKey` is given.',
  idempotency_key_mismatch: 'The header and the field hold different idempotency keys.',
  idempotency_key_reused: 'The idempotency key was used for a request with another body.',
  idempotency_key_replaced: "The idempotency key's issue was replaced by a newer one.",
  idempotency_key_forgotten: "The idempotency key's issue was erased.",
  scope_missing: 'The key lacks the scope of the operation.',
  server_only: 'The operation takes secret keys only.',
  origin_missing: 'A public key is used without an `Origin` header.',
  origin_not_allowed: 'The origin is not among the allowed origins of the key.',
  from_not_allowed: 'This live public key may not set `from`.',
  free_text_not_allowed:
    'With a live public key, a variable without a pattern takes at most 40 letters, digits and simple punctuation. It takes no link and no phone number.',
  country_closed: 'The app does not send codes to the country of the number.',
  address_not_allowed: 'The key may not be used from this network address.',
  challenge_required:
    'The request needs a proof of a human in `challenge`: show the widget and send the request again.',
  challenge_failed: 'The proof in `challenge` is wrong, too old or used already. A new proof may be right.',
} as const satisfies Record<string, string>

export type Reason = keyof typeof REASONS

export const reason = z.enum(Object.keys(REASONS) as [Reason, ...Reason[]]).meta({
  description: `Why the request was refused; more may come.\n\n${Object.entries(REASONS)
    .map(([name, meaning]) => `- \`${name}\`: ${meaning}`)
    .join('\n')}`,
  examples: ['invalid_phone_number'],
})

/** Values of the message of a reason. Reasons without values are not listed. */
export interface ReasonValues {
  wrong_type: { expected: JsonType }
  too_short: { min: number }
  too_long: { max: number }
  too_small: { min: number }
  too_large: { max: number }
  too_many: { max: number }
  not_a_choice: { choices: readonly string[] }
  channel_not_supported: { channel: string }
  /** Bytes in EUC-KR, as Korean carriers count. */
  message_too_long: { maxBytes: number }
  scope_missing: { scope: string }
}

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object'

/** Values of one reason, as rest parameters. */
export type ValuesOf<Values, R> = R extends keyof Values ? [about: Values[R]] : []

/** Arguments for zod's `refine`: reason and message. */
export const because = <R extends Reason>(reason: R, error: string, ...[about]: ValuesOf<ReasonValues, R>) => ({
  error,
  params: { reason, about },
})
