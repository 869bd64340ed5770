/** Reasons of refusals for operators, in the console and on the command line, beside the reasons of the interface. */
import type { ReasonValues as InterfaceValues, Reason, ValuesOf } from '../../../contract/reason'

/** Meaning of each reason. They are not part of the published interface. */
export const OPERATOR_REASONS = {
  out_of_range: 'The value is not a whole number within the range.',
  not_visible_ascii: 'The text has characters other than visible ASCII, or spaces.',
  invalid_name: 'The name has characters other than letters, digits, dots, dashes and underscores.',
  name_reserved: 'The name belongs to the service itself.',
  name_taken: 'Another carrier or relay has the name.',
  invalid_setting: 'A setting of the carrier is not as its type needs it.',
  changed_meanwhile: 'Somebody has changed it since it was read.',
  answer_lost: 'The request was carried out, and its answer is lost.',
  not_in_future: 'The time has passed.',
  invalid_email: 'The value is not an email address.',
  email_taken: 'The email address has an account already.',
  wrong_credentials: 'The email address or the password is wrong.',
  wrong_password: 'The password is wrong.',
  common_password: 'The password is among the most common ones.',
  password_changed: 'The password has been changed meanwhile.',
  totp_needed: 'The account has a second factor, and its code is missing.',
  totp_wrong: 'The code of the authenticator app is wrong.',
  totp_used: 'The code of the authenticator app was used already.',
  totp_begin_anew: 'The secret that was shown is too old to be confirmed.',
  totp_already_on: 'The account has a second factor already.',
  no_such: 'The named thing does not exist, or does not exist any more.',
  link_used_up: 'The link was used or is too old.',
  not_signed_in: 'Nobody is signed in.',
  role_lacks_permission: 'Your role does not allow this.',
  app_not_yours: 'You see some apps only, and this is not one of them.',
  needs_all_apps: 'This concerns the whole installation, and you see some apps only.',
  owner_sees_all_apps: 'Owners see all apps.',
  foreign_origin: 'The request comes from a page that is not part of the console.',
  public_url_needed: 'The console was opened at another origin than `WATCHWORD_PUBLIC_URL`.',
  last_owner: 'At least one owner must remain.',
  public_key_scope: 'A public key may issue and verify only.',
  origins_on_secret_key: 'Origins belong to public keys.',
  networks_on_public_key: 'Networks belong to secret keys.',
  invalid_origin: 'The value is not an exact origin.',
  invalid_network: 'The value is not a network in CIDR notation.',
  limits_on_test_key: 'A test key has the limits of all test keys.',
  too_many_keys: 'The app has as many active keys as it may have.',
  not_a_live_browser_key: 'Only a live public key has restrictions that can be lifted.',
  key_not_active: 'The key was revoked or has expired.',
  not_refundable: 'Only an issue that was charged can be refunded.',
  reference_taken: 'The reference was used for another entry.',
  code_placeholder_missing: 'The body has no place for the code.',
  undeclared_placeholder: 'The body has a placeholder without a declared variable.',
  unused_variable: 'The body has no placeholder for a variable.',
  invalid_variable_name: 'A variable cannot have this name.',
  invalid_pattern: 'The pattern of a variable is not a regular expression, or may take too long to match.',
  pattern_too_large:
    'The pattern of a variable, or all patterns of the template together, would take too long to match.',
  template_built_in: 'Built-in templates cannot be removed.',
  review_number_taken: 'The number is a review number of another name.',
  too_many_webhooks: 'The app has as many webhooks as it may have.',
  webhook_disabled: 'The webhook is disabled.',
  invalid_url: 'The value is not an absolute `http` or `https` URL.',
  url_with_credentials: 'The URL has a username or a password.',
  url_with_fragment: 'The URL has a fragment, which is never sent.',
  https_required: 'The URL does not begin with `https://`.',
  port_not_allowed: 'Webhooks are not sent to this port.',
  target_not_allowed: 'Webhooks are not sent to this network address.',
  reserved_header: 'The header is set by the service.',
  invalid_header: 'The header cannot be sent.',
  invalid_placeholder: 'The braces contain no path.',
  template_not_json: 'The rendered template is not JSON.',
  invalid_host: 'The value is not a hostname.',
  invalid_android_hash: 'The value is not the hash of an Android app.',
  invalid_language: 'The value is not a language tag.',
  language_taken: 'The text of the template is in this language already.',
  invalid_country: 'The value is not a country code of ISO 3166.',
  channel_not_delivered: 'The carrier does not deliver on this channel.',
  invalid_score: 'The value is not a number from 0 to 1.',
  invalid_time_zone: 'The value is not the name of a time zone.',
  vendor_without_score: 'The vendor of the challenge gives no score.',
  invalid_day: 'The value is not a day of the calendar.',
  invalid_period: 'The period is longer than a report may be, or ends before it begins.',
  too_many_rows: 'The report has more rows than a report may have.',
  invalid_currency: 'The value is not a currency of ISO 4217.',
  invalid_amount: 'The value is not an amount within the range, with at most six decimal places.',
} as const satisfies Record<string, string>

export type RefusalReason = Reason | keyof typeof OPERATOR_REASONS

/** Values of the message of each reason. */
export interface RefusalValues extends InterfaceValues {
  out_of_range: { min: number; max: number }
  not_visible_ascii: { max: number }
  invalid_name: { max: number }
  name_reserved: { name: string }
  name_taken: { name: string }
  invalid_setting: { says: string }
  invalid_origin: { origin: string }
  invalid_network: { network: string }
  too_many_keys: { max: number }
  undeclared_placeholder: { name: string }
  unused_variable: { name: string }
  invalid_variable_name: { name: string }
  invalid_pattern: { name: string }
  pattern_too_large: { name: string }
  too_many_webhooks: { max: number }
  port_not_allowed: { port: number }
  target_not_allowed: { address: string }
  reserved_header: { name: string }
  invalid_header: { name: string }
  invalid_placeholder: { placeholder: string }
  no_such: { what: Thing }
  channel_not_delivered: { provider: string; channel: string }
  invalid_period: { max: number }
  too_many_rows: { max: number }
}

export type ValuesOfRefusal<R extends RefusalReason> = ValuesOf<RefusalValues, R>

/** Things that operators name by an id. */
export type Thing =
  | 'app'
  | 'challenge'
  | 'delivery'
  | 'event'
  | 'incident'
  | 'issue'
  | 'key'
  | 'language'
  | 'way of notices'
  | 'operator'
  | 'plan'
  | 'price'
  | 'provider'
  | 'relay'
  | 'review number'
  | 'route'
  | 'server'
  | 'session'
  | 'template'
  | 'token'
  | 'webhook'

/** The values of any reason. */
export type ReasonAbout = RefusalValues[keyof RefusalValues]
