/** The console's procedures, with inputs that are nearly right: by strangers, by somebody who may look, by an owner. */
import type { SeededRandom } from '../support/random'
import { consoleRpc, knock, type Shot, type Subject } from './shot'
import { NOBODYS_URL, type Target, templateOf } from './target'
import { disturbed, json, LONG_TEXTS, TEXTS } from './values'

const ID = '0199f2a4-7c1e-7a53-9d36-0b6f3a1c5e77'
const END = 8_640_000_000_000_000

type Inputs = Record<string, Record<string, unknown>>

/** Read by whoever may look, and by an owner. */
const reads = (appId: string): Inputs => ({
  'apps/list': {},
  'operators/list': {},
  'keys/list': { appId },
  'issues/list': {
    appId,
    mode: 'test',
    search: 'fuzz',
    status: 'issued',
    delivery: 'queued',
    from: 0,
    to: END,
    limit: 50,
    after: ID,
  },
  'issues/story': { issueId: ID },
  'inbox/list': { appId, after: ID, limit: 50 },
  'wallet/show': { appId },
  'wallet/ledger': { appId, after: '1.2', limit: 50, entryType: 'debit', from: 0, to: END },
  'templates/list': { appId },
  'templates/preview': { appId, template: templateOf('x', { a: '[a-z]*' }), values: { a: 'a' } },
  'webhooks/list': { appId },
  'webhooks/events': { endpointId: 'whe_x', after: ID, limit: 50, status: 'failed' },
  'webhooks/attempts': { deliveryId: ID },
  'webhooks/preview': { template: '{"a":"{{type}}"}', events: ['otp.sent'] },
  'carriers/list': {},
  'carriers/routes': {},
  'usage/report': {
    ...{ mode: 'test', from: '2026-01-01', to: '2026-01-31' },
    timeZone: 'Asia/Seoul',
    groupBy: ['day'],
  },
  'prices/list': {},
  'system/show': {},
  'session/current': {},
})

/** By an owner only; a viewer is refused. */
const ownersReads: Inputs = {
  'audit/list': { after: '5', limit: 50, actor: 'fuzz', action: 'app.create' },
  'audit/verify': {},
}

/** What changes something; nothing here ends the session the fuzz works with. */
const writes = (appId: string): Inputs => ({
  'apps/create': { name: 'another' },
  'keys/create': {
    appId,
    kind: 'pk',
    mode: 'live',
    scopes: ['otp:issue'],
    allowedOrigins: ['https://a.example'],
    allowedCidrs: [],
    limits: {},
    expiresAt: END,
  },
  'keys/rotate': { keyId: 'key_none', overlapHours: 1 },
  'keys/revoke': { keyId: 'key_none' },
  'templates/save': { appId, template: templateOf('saved', { a: '[a-z]*' }) },
  'webhooks/add': {
    appId,
    mode: 'test',
    url: NOBODYS_URL,
    events: ['otp.sent'],
    filters: {},
    template: '',
    headers: {},
  },
  'webhooks/update': { endpointId: 'whe_none', url: NOBODYS_URL, events: ['otp.sent'] },
  'webhooks/remove': { endpointId: 'whe_none' },
  'webhooks/rotate': { endpointId: 'whe_none', overlapHours: 1 },
  'webhooks/test': { endpointId: 'whe_none', type: 'otp.sent' },
  'webhooks/replay': { endpointId: 'whe_none', since: 0 },
  'wallet/topUp': { appId, amount: 1, reference: 'r' },
  'wallet/refund': { appId, issueId: ID },
  'wallet/clawback': { appId, amount: 1, reference: 'r' },
  'wallet/setOverdraft': { appId, limit: 0 },
  'wallet/setAlert': { appId, below: 1 },
  'prices/set': {
    ...{ carrier: 'a', country: 'KR', channel: 'sms', currency: 'KRW' },
    amount: '1',
    validFrom: '2026-01-01',
  },
  'prices/remove': { priceId: 'none' },
  'tokens/create': { name: 'ERP', scopes: ['usage:read'] },
  'tokens/revoke': { tokenId: 'none' },
  'carriers/test': { name: 'none', to: '010-1234-5678', channel: 'sms' },
  'carriers/setRoute': { channel: 'sms', country: 'KR', appId, providers: ['main'] },
  'carriers/removeRoute': { channel: 'sms', country: 'KR', appId },
  'operators/invite': { role: 'viewer' },
  'operators/withdraw': { invitationId: 'none' },
  'operators/changeRole': { operatorId: 'op_none', role: 'viewer' },
  'operators/remove': { operatorId: 'op_none' },
  'inbox/tryIt': { appId, phoneNumber: '010-0000-0000', purpose: 'try', channel: 'sms' },
  'inbox/verify': { appId, issueId: ID, code: '12' },
})

/** Without a session. */
const strangers: Inputs = {
  'session/setUp': { token: 't'.repeat(40), name: 'x', email: 'x@fuzz.example', password: 'twelve letters' },
  'session/accept': { token: 't'.repeat(40), name: 'x', email: 'x@fuzz.example', password: 'twelve letters' },
  'session/invitation': { token: 't'.repeat(40) },
  'session/none': {},
  __proto__x: {},
  'constructor/constructor': {},
}

const inputsOf = (random: SeededRandom, whole: Record<string, unknown>): unknown[] => [
  disturbed(random, whole),
  disturbed(random, disturbed(random, whole)),
  json(random),
  ...Object.keys(whole).flatMap((name) => {
    const value = random.chance(0.3) ? random.pick(Object.values(LONG_TEXTS)) : random.pick(TEXTS)
    return random.chance(0.5) ? [{ ...whole, [name]: value }] : []
  }),
]

function asked(
  random: SeededRandom,
  target: Target,
  inputs: Inputs,
  role: keyof Target['cookies'],
  mayChange?: true,
): Shot[] {
  return Object.entries(inputs).flatMap(([procedure, whole]) =>
    inputsOf(random, whole).map((input): Shot => {
      const shot = knock(consoleRpc(target, procedure, role), `as ${role} ${JSON.stringify(input)?.slice(0, 200)}`, {
        json: input,
      })
      return mayChange ? { ...shot, mayChange } : shot
    }),
  )
}

const foreign = (target: Target): Shot[] =>
  ['https://evil.example', 'null', `${target.url}.evil.example`, ''].map((Origin) =>
    knock(consoleRpc(target, 'apps/create', 'owner'), `from ${Origin}`, { json: { name: 'x' } }, { Origin }),
  )

export const consoleSubject: Subject = {
  name: 'console',
  shots: (random, target) => {
    const { appId } = target
    return [
      ...asked(random, target, reads(appId), 'viewer'),
      ...asked(random, target, { ...reads(appId), ...ownersReads }, 'owner'),
      ...asked(random, target, { ...ownersReads, ...writes(appId) }, 'viewer'),
      ...asked(random, target, { ...reads(appId), ...writes(appId) }, 'nobody'),
      ...asked(random, target, strangers, 'nobody'),
      ...foreign(target),
      ...asked(random, target, writes(appId), 'owner', true),
    ]
  },
}
