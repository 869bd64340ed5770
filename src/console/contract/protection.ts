/** What protects an app from abuse, what came of it, and what can be done at once. Live mode only. */
import { z } from 'zod'
import { FAILURE_RULES, RULES } from '../../abuse/rules/rule'
import { at, ofApp, ok, pageInput, pageOf, procedure } from './base'

const kind = z.enum(['sk', 'pk'])
const rule = z.enum(RULES)
/** Empty: of a number that belongs to none. */
const country = z.string()
/** Keyed hash of the digits that numbers share, as hexadecimal digits; with the digits where enough phones share them. */
const prefix = z.string()
const digits = z.string().optional()

const against = z.object({
  /** Codes, and credits they would have cost. */
  refused: z.int(),
  refusedCredits: z.int(),
  /** Sent although a rule was against them. */
  watched: z.int(),
  watchedCredits: z.int(),
})
const counted = against.extend({
  sent: z.int(),
  verified: z.int(),
  unverified: z.int(),
  /** What codes have cost that nobody typed. */
  untypedCredits: z.int(),
})

/** Phones that wait, by what they wait for. */
const held = z.object({ failures_paused: z.int(), failures_locked: z.int(), failures_seldom: z.int() })
/** In the input and nowhere else: no number is stored. */
const ofPhone = ofApp.extend({ phoneNumber: z.string().min(1).max(64) })

const learned = z.object({ verified: z.int(), onDays: z.int(), isLearned: z.boolean() })

const incident = z.object({
  incidentId: z.string(),
  appId: z.string(),
  kind,
  country,
  since: at,
  lastAt: at,
  endedAt: at.optional(),
  /** Whether codes were refused; otherwise they would have been. */
  isBlocked: z.boolean(),
  refused: z.int(),
  rules: z.array(rule),
  pausedUntil: at.optional(),
  cost: z.int(),
  /** Credits given back. */
  refunded: z.int().optional(),
})

const place = z.object({
  country: z.string().regex(/^[A-Z]{2}$/),
  prefix: z
    .string()
    .regex(/^[0-9a-f]{2,128}$/)
    .optional(),
  /** Missing: of every key. */
  kind: kind.optional(),
})
const ofIncident = z.object({ incidentId: z.string() })

export const protection = {
  /** As it is now. */
  state: procedure('look')
    .input(ofApp)
    .output(
      z.object({
        learned: z.object({ sk: learned, pk: learned }),
        /** So much is needed, of so many last days. */
        needed: z.object({ verified: z.int(), onDays: z.int(), ofDays: z.int() }),
        blocks: z.array(z.object({ country, prefix: prefix.optional(), kind: kind.optional(), digits, until: at })),
        /** Where incidents were ended: no rule about typing refuses anything there for a while. */
        reopened: z.array(z.object({ kind, country: z.string(), until: at })),
        /** Of each kind of key; of very many phones those with the latest wrong codes. */
        held: z.object({ sk: held, pk: held, areAll: z.boolean() }),
      }),
    ),
  /** Where codes of secret keys went lately: those that were typed, and those that nobody typed; the most first. */
  sentTo: procedure('look')
    .input(ofApp)
    .output(z.object({ days: z.int(), typed: z.array(country), untyped: z.array(country) })),
  /** What a decision about a country or prefix touches: active live keys, and codes of the last hour; the most first. */
  lately: procedure('look')
    .input(ofApp.extend({ prefix: place.shape.prefix }))
    .output(
      z.object({
        keys: z.object({ sk: z.int(), pk: z.int() }),
        codes: z.array(z.object({ kind, country, sent: z.int(), refused: z.int() })),
        /** Otherwise more were sent than are counted. */
        areAll: z.boolean(),
      }),
    ),
  /** What a phone waits for, by the kind of key whose codes were mistaken. */
  phone: procedure('apps')
    .input(ofPhone)
    .output(
      z.object({
        phoneNumber: z.string(),
        standings: z.array(z.object({ kind, rule: z.enum(FAILURE_RULES).optional(), until: at.optional() })),
      }),
    ),
  /** It may get a code now. */
  unlock: procedure('apps')
    .input(ofPhone.extend({ kinds: z.array(kind).min(1).max(2) }))
    .output(z.object({ wasWaiting: z.boolean() })),
  show: procedure('look')
    .input(ofApp.extend({ from: at, to: at, by: z.enum(['hour', 'day']) }))
    .output(
      z.object({
        total: counted,
        /** One for each hour or day (UTC) of the time, empty ones too. */
        series: z.array(counted.extend({ at })),
        /** The most first. */
        rules: z.array(against.extend({ rule })),
        countries: z.array(counted.extend({ country })),
        prefixes: z.array(against.extend({ country, prefix, digits })),
        /** Enough of a keyed hash to tell one from another. */
        networks: z.array(against.extend({ network: z.string() })),
      }),
    ),
  /** Codes that were refused: in 24 hours, in the worse of the last two hours, and usually in the worst hour of a day. */
  refused: procedure('look')
    .input(ofApp)
    .output(z.object({ lastDay: z.int(), lately: z.int(), usual: z.int(), isUnusual: z.boolean() })),
  /** Those that are open come first, and all with the first page; then the others. The newest first. */
  incidents: procedure('look').input(ofApp.extend(pageInput.shape)).output(pageOf(incident)),
  /** Those that are open, of all apps; the newest ones. */
  open: procedure('look').output(z.object({ incidents: z.array(incident) })),
  /** Nothing is sent there for a day, by every key or by a kind of them. */
  block: procedure('apps').input(ofApp.extend(place.shape)).output(ok),
  unblock: procedure('apps').input(ofApp.extend(place.shape)).output(ok),
  /** Its pause is lifted, and no rule about typing refuses anything there until then. */
  end: procedure('apps')
    .input(ofIncident)
    .output(z.object({ reopenedUntil: at })),
  /** Gives back, once each, what codes have cost that nobody typed. */
  refund: procedure('money')
    .input(ofIncident)
    .output(
      z.object({
        issues: z.int(),
        credits: z.int(),
        /** Not charged yet. */
        undecided: z.int(),
      }),
    ),
}
