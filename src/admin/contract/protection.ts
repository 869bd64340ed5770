/** Abuse protection of an app: rules, results and immediate actions. Live mode only. */
import { z } from 'zod'
import { FAILURE_RULES, PLACE_RULES, RULES } from '../../abuse/rules/rule'
import { CALLER_KINDS } from '../../domain/access/caller'
import { act, at, ofApp, ok, pageInput, pageOf } from './base'

const kind = z.enum(CALLER_KINDS)
const rule = z.enum(RULES)
/** Empty for a number without a country. */
const country = z.string()
/** Keyed hash of a number prefix in hexadecimal; with its digits if enough phones share it. */
const prefix = z.string()
const digits = z.string().optional()

const against = z.object({
  /** Counts of codes, and their price in credits. */
  refused: z.int(),
  refusedCredits: z.int(),
  /** Sent in watch-only mode although a rule matched. */
  watched: z.int(),
  watchedCredits: z.int(),
})
const counted = against.extend({
  sent: z.int(),
  verified: z.int(),
  unverified: z.int(),
  /** Credits spent on unverified codes. */
  untypedCredits: z.int(),
})

/** Paused or locked phones by reason. */
const held = z.object({ failures_paused: z.int(), failures_locked: z.int(), failures_seldom: z.int() })
/** The number is only in the input; it is not stored. */
const ofPhone = ofApp.extend({ phoneNumber: z.string().min(1).max(64) })

export const incident = z.object({
  incidentId: z.string(),
  appId: z.string(),
  kind,
  country,
  since: at,
  lastAt: at,
  endedAt: at.optional(),
  /** Whether codes were refused, or only would have been. */
  isBlocked: z.boolean(),
  refused: z.int(),
  rules: z.array(rule),
  /** Open incidents: wishes in the place that is refused, how many are lost, and how many usually were. */
  evidence: z
    .object({ place: z.enum(PLACE_RULES), digits, wishes: z.int(), lost: z.int(), usually: z.int() })
    .optional(),
  cost: z.int(),
  /** Refunded credits. */
  refunded: z.int().optional(),
})

const place = z.object({
  country: z.string().regex(/^[A-Z]{2}$/),
  prefix: z
    .string()
    .regex(/^[0-9a-f]{2,128}$/)
    .optional(),
  /** Missing: all keys. */
  kind: kind.optional(),
})
const ofIncident = z.object({ incidentId: z.string() })

export const protection = {
  state: act('GET /apps/{appId}/protection/state', 'Show what is blocked and which phones wait. Current state.', 'look')
    .input(ofApp)
    .output(
      z.object({
        blocks: z.array(z.object({ country, prefix: prefix.optional(), kind: kind.optional(), digits, until: at })),
        /** Places where an incident was ended, exempt from conversion rules for a while. */
        reopened: z.array(z.object({ kind, country: z.string(), until: at })),
        /** For each kind of key. If there are too many phones, those with the latest wrong codes. */
        held: z.object({ sk: held, pk: held, areAll: z.boolean() }),
      }),
    ),
  sentTo: act(
    'GET /apps/{appId}/protection/sent-to',
    'List the countries that secret keys have sent to. Recent countries of secret keys, with and without verified codes; largest first.',
    'look',
  )
    .input(ofApp)
    .output(z.object({ days: z.int(), typed: z.array(country), untyped: z.array(country) })),
  lately: act(
    'GET /apps/{appId}/protection/lately',
    'Show what a block would touch. Effect of a change for a country or prefix: active live keys, and codes of the last hour; largest first.',
    'look',
  )
    .input(ofApp.extend({ prefix: place.shape.prefix }))
    .output(
      z.object({
        keys: z.object({ sk: z.int(), pk: z.int(), relay: z.int() }),
        codes: z.array(z.object({ kind, country, sent: z.int(), refused: z.int() })),
        /** False if more codes were sent than are counted. */
        areAll: z.boolean(),
      }),
    ),
  phone: act(
    'POST /apps/{appId}/protection/phone',
    'Show whether a phone is paused or locked. Lock or pause of a phone, by kind of key.',
    'find',
  )
    .input(ofPhone)
    .output(
      z.object({
        phoneNumber: z.string(),
        standings: z.array(z.object({ kind, rule: z.enum(FAILURE_RULES).optional(), until: at.optional() })),
      }),
    ),
  unlock: act('POST /apps/{appId}/protection/unlock', 'Unlock a phone. Unlocks the phone.', 'find')
    .input(ofPhone.extend({ kinds: z.array(kind).min(1).max(CALLER_KINDS.length) }))
    .output(z.object({ wasWaiting: z.boolean() })),
  show: act('GET /apps/{appId}/protection/figures', 'Show what the rules refused in a period.', 'look')
    .input(ofApp.extend({ from: at, to: at, by: z.enum(['hour', 'day']) }))
    .output(
      z.object({
        total: counted,
        /** One for each hour or day (UTC) of the period, including empty ones. */
        series: z.array(counted.extend({ at })),
        /** Largest first. */
        rules: z.array(against.extend({ rule })),
        countries: z.array(counted.extend({ country })),
        prefixes: z.array(against.extend({ country, prefix, digits })),
        /** Shortens a keyed hash for display. */
        networks: z.array(against.extend({ network: z.string() })),
      }),
    ),
  incidents: act(
    'GET /apps/{appId}/incidents',
    'List incidents. Open incidents come first, all on the first page; then the others, newest first.',
    'look',
  )
    .input(ofApp.extend(pageInput.shape))
    .output(pageOf(incident)),
  block: act(
    'POST /apps/{appId}/protection/block',
    'Block a country or prefix. Blocks a country or prefix for a day, for all keys or one kind.',
    'protection',
  )
    .input(ofApp.extend(place.shape))
    .output(ok),
  unblock: act('POST /apps/{appId}/protection/unblock', 'End a block.', 'protection')
    .input(ofApp.extend(place.shape))
    .output(ok),
  end: act(
    'POST /incidents/{incidentId}/end',
    'End an incident. Ends an incident: exempts the country from conversion rules until then.',
    'protection',
  )
    .input(ofIncident)
    .output(z.object({ reopenedUntil: at })),
  refund: act(
    'POST /incidents/{incidentId}/refund',
    'Refund the codes of an incident. Refunds each unverified code once.',
    'money',
  )
    .input(ofIncident)
    .output(
      z.object({
        issues: z.int(),
        credits: z.int(),
        /** Codes that are not charged yet. */
        undecided: z.int(),
      }),
    ),
}
