/** A valid input of every procedure of the console, and who may call it. */
import type { Reach } from '../../src/admin/contract/base'
import type { Permission } from '../../src/domain/access/operator'
import type { Template } from '../../src/domain/message/template'
import { SMS_URL, START } from '../support/world'

export const PASSWORD = 'correct horse battery'
export const PHONE = '010-1234-5678'
const DAY_MS = 86_400_000

/** An app with one of everything that belongs to an app. */
export interface Things {
  appId: string
  issueId: string
  testIssueId: string
  keyId: string
  endpointId: string
  deliveryId: string
  eventId: string
  relayId: string
  incidentId: string
  templateId: string
}

export interface Row {
  needs: Permission | null
  reach: Reach
  input: (of: Things) => object | undefined
  /** What an owner is answered for a valid input, where it is not 200. */
  status?: number
}

const row = (needs: Permission | null, reach: Reach, input: Row['input'] = () => ({}), status?: number): Row => ({
  ...{ needs, reach, input },
  ...(status !== undefined && { status }),
})
const ofApp = ({ appId }: Things) => ({ appId })
const ofKey = ({ keyId }: Things) => ({ keyId })
const ofEndpoint = ({ endpointId }: Things) => ({ endpointId })
const ofIncident = ({ incidentId }: Things) => ({ incidentId })
const ofRelay = ({ relayId }: Things) => ({ relayId })
const ofPhone = ({ appId }: Things) => ({ appId, phoneNumber: PHONE })
const live = ({ appId }: Things) => ({ appId, mode: 'live' })
export const template = (templateId: string): Template => ({
  ...{ templateId, name: templateId, body: 'Your code: #{code}', channelSupport: ['sms'], variables: {} },
  ...{ providerTemplateCode: templateId, bodies: {} },
})
export const person = { name: 'Eve', email: 'eve@example.com', password: PASSWORD }
const SLACK = { name: 'chat', channel: 'slack', url: 'https://hooks.slack.example/services/x' }
const NOBODY = { operatorId: 'op_nobody' }
const CARRIER = { name: 'main' }
const SETTINGS = { channels: ['sms'], settings: { url: SMS_URL } }
const MONTH = { from: START - 30 * DAY_MS, to: START + DAY_MS, by: 'day' }

const REPORTED = new Date(START).toISOString().slice(0, 10)

export const ROWS: Record<string, Row> = {
  'session/current': row(null, 'anyone'),
  'session/setUp': row(null, 'anyone', () => ({ token: 't'.repeat(40), ...person }), 404),
  'session/signIn': row(null, 'anyone', () => ({ email: person.email, password: 'x' }), 401),
  'session/invitation': row(null, 'anyone', () => ({ token: 't'.repeat(40) }), 404),
  'session/accept': row(null, 'anyone', () => ({ token: 't'.repeat(40), ...person }), 404),
  'session/signOut': row('look', 'anyone'),
  'session/signOutEverywhere': row('look', 'anyone'),
  'session/list': row('look', 'anyone'),
  'session/end': row('look', 'anyone', () => ({ sessionId: 'none' }), 404),
  'session/endOthers': row('look', 'anyone'),
  'session/changePassword': row('look', 'anyone', () => ({ current: PASSWORD, password: `${PASSWORD} staple` })),
  'session/totpBegin': row('look', 'anyone', () => ({ current: PASSWORD })),
  'session/totpConfirm': row('look', 'anyone', () => ({ totp: '000000' }), 400),
  'session/totpRemove': row('look', 'anyone', () => ({ current: PASSWORD })),

  'operators/list': row('look', 'apps'),
  'operators/invite': row('operators', 'installation', () => ({ role: 'viewer' })),
  'operators/withdraw': row('operators', 'installation', () => ({ invitationId: 'none' }), 404),
  'operators/changeRole': row('operators', 'installation', () => ({ ...NOBODY, role: 'viewer' }), 404),
  'operators/unlock': row('operators', 'installation', () => NOBODY, 404),
  'operators/remove': row('operators', 'installation', () => NOBODY, 404),
  'operators/sessions': row('operators', 'installation', () => NOBODY),
  'operators/endSession': row('operators', 'installation', () => ({ ...NOBODY, sessionId: 'none' }), 404),
  'operators/endSessions': row('operators', 'installation', () => NOBODY),

  'apps/list': row('look', 'apps'),
  'apps/show': row('look', 'app', ofApp),
  'apps/create': row('apps', 'installation', () => ({ name: 'another' })),
  'apps/rename': row('apps', 'app', ({ appId }) => ({ appId, name: 'renamed' })),
  'apps/remove': row('apps', 'app', ofApp),
  'apps/setRegion': row('apps', 'app', ofApp),
  'apps/protect': row('protection', 'app', ({ appId }) => ({ appId, protection: {} })),
  'apps/setTexts': row('apps', 'app', ({ appId }) => ({ appId, texts: {} })),
  'apps/setProvesMetadata': row('apps', 'app', ({ appId }) => ({ appId, provesMetadata: true })),
  'apps/setRetention': row('apps', 'app', ({ appId }) => ({ appId, retentionDays: 30 })),
  'apps/setPlan': row('carriers', 'app', ({ appId }) => ({ appId, channel: 'sms', legs: [{ channel: 'sms' }] })),
  'apps/removePlan': row('carriers', 'app', ({ appId }) => ({ appId, channel: 'sms' }), 404),
  'apps/challenge': row('protection', 'app', ofApp),
  'apps/setChallenge': row('protection', 'app', ({ appId }) => ({
    ...{ appId, vendor: 'turnstile', siteKey: 'site', secret: 'secret', onOutage: 'refuse' },
  })),
  'apps/removeChallenge': row('protection', 'app', ofApp, 404),
  'apps/reviewNumbers': row('apps', 'app', ofApp),
  'apps/addReviewNumber': row('apps', 'app', (of) => ({ ...ofPhone(of), name: 'store', days: 5, dailyMax: 5 })),
  'apps/removeReviewNumber': row('apps', 'app', ({ appId }) => ({ appId, name: 'none' }), 404),
  'apps/twilio': row('look', 'app', ofApp),
  'apps/addTwilioPurpose': row('apps', 'app', ({ appId }) => ({ appId, purpose: 'login' })),
  'apps/regions': row('look', 'anyone'),

  'keys/list': row('look', 'app', ofApp),
  'keys/create': row('keys', 'app', ({ appId }) => ({ appId, kind: 'sk', mode: 'live' })),
  'keys/rotate': row('keys', 'app', ({ keyId }) => ({ keyId, overlapHours: 0 })),
  'keys/allow': row('keys', 'app', ({ keyId }) => ({ keyId, allows: [] }), 400),
  'keys/revoke': row('keys', 'app', ofKey),

  'relays/list': row('look', 'app', ofApp),
  'relays/create': row('keys', 'app', ({ appId }) => ({ appId, mode: 'test', name: 'second', source: 'plain' })),
  'relays/changeSecret': row('keys', 'app', ofRelay),
  'relays/remove': row('keys', 'app', ofRelay),
  'relays/test': row('keys', 'app', ({ relayId }) => ({ relayId, phoneNumber: PHONE })),
  'relays/messages': row('look', 'app', live),

  'issues/list': row('look', 'app', live),
  'issues/find': row('look', 'apps', () => ({ text: PHONE })),
  'issues/story': row('look', 'app', ({ issueId }) => ({ issueId })),
  'inbox/list': row('look', 'app', ofApp),
  'inbox/tryIt': row('try', 'app', ({ appId }) => ({ appId, phoneNumber: '010-0000-0000', purpose: 'try' })),
  'inbox/verify': row('try', 'app', ({ appId, testIssueId }) => ({ appId, issueId: testIssueId, code: '000000' })),

  'wallet/show': row('look', 'app', ofApp),
  'wallet/ledger': row('look', 'app', ofApp),
  'wallet/topUp': row('money', 'app', ({ appId }) => ({ appId, amount: 1, reference: 'r' })),
  'wallet/refund': row('money', 'app', ({ appId, issueId }) => ({ appId, issueId }), 400),
  'wallet/clawback': row('money', 'app', ({ appId }) => ({ appId, amount: 1, reference: 'r' })),
  'wallet/setOverdraft': row('money', 'app', ({ appId }) => ({ appId, limit: 0 })),
  'wallet/setAlert': row('money', 'app', ({ appId }) => ({ appId, below: 1 })),

  'templates/list': row('look', 'app', ofApp),
  'templates/save': row('templates', 'app', ({ appId }) => ({ appId, template: template('mine') })),
  'templates/versions': row('look', 'app', ({ appId }) => ({ appId, templateId: 'mine' })),
  'templates/rollBack': row('templates', 'app', ({ appId }) => ({ appId, templateId: 'none', version: 1 }), 404),
  'templates/remove': row('templates', 'app', ({ appId }) => ({ appId, templateId: 'none' }), 404),
  'templates/preview': row('look', 'app', ({ appId }) => ({ appId, template: template('mine'), values: {} })),

  'webhooks/list': row('look', 'app', ofApp),
  'webhooks/show': row('look', 'app', ofEndpoint),
  'webhooks/add': row('webhooks', 'app', ({ appId }) => ({
    ...{ appId, mode: 'live', url: 'https://93.184.216.34/hook', events: ['otp.sent'], filters: {}, template: '' },
  })),
  'webhooks/update': row('webhooks', 'app', (of) => ({ ...ofEndpoint(of), events: ['otp.sent'] })),
  'webhooks/remove': row('webhooks', 'app', ofEndpoint),
  'webhooks/rotate': row('webhooks', 'app', (of) => ({ ...ofEndpoint(of), overlapHours: 1 })),
  'webhooks/test': row('webhooks', 'app', (of) => ({ ...ofEndpoint(of), type: 'otp.sent' })),
  'webhooks/events': row('look', 'app', ofEndpoint),
  'webhooks/attempts': row('look', 'app', ({ deliveryId }) => ({ deliveryId })),
  'webhooks/request': row('look', 'app', ({ deliveryId }) => ({ deliveryId })),
  'webhooks/replay': row('find', 'app', ({ endpointId, eventId }) => ({ endpointId, eventId })),
  'webhooks/preview': row('look', 'anyone', () => ({ template: '', events: ['otp.sent'] })),

  'carriers/list': row('look', 'installation'),
  'carriers/test': row('carriers', 'installation', () => ({ ...CARRIER, to: PHONE, channel: 'sms' })),
  'carriers/types': row('carriers', 'installation'),
  'carriers/add': row('carriers', 'installation', () => ({ ...SETTINGS, name: 'second', type: 'http' })),
  'carriers/settings': row('carriers', 'installation', () => CARRIER),
  'carriers/change': row('carriers', 'installation', () => ({ ...CARRIER, ...SETTINGS })),
  'carriers/answers': row('look', 'installation', () => ({ ...CARRIER, hours: 24 })),
  'carriers/rotate': row('carriers', 'installation', () => ({
    ...{ ...CARRIER, ...SETTINGS, test: { to: PHONE, channel: 'sms' } },
  })),
  'carriers/explain': row('carriers', 'installation', ({ appId }) => ({
    ...{ appId, to: PHONE, channel: 'sms', kind: 'sk' },
  })),
  'carriers/compare': row('carriers', 'installation', () => ({ ...CARRIER, ...SETTINGS })),
  'carriers/pause': row('carriers', 'installation', () => CARRIER),
  'carriers/resume': row('carriers', 'installation', () => CARRIER),
  'carriers/remove': row('carriers', 'installation', () => ({ name: 'none' }), 404),
  'carriers/whatsappTemplate': row(
    'carriers',
    'installation',
    () => ({
      ...{ name: 'none', languages: ['en'], minutes: 5, androidApps: [] },
    }),
    404,
  ),
  'carriers/routes': row('look', 'installation'),
  'carriers/setRoute': row('carriers', 'installation', ({ appId }) => ({ channel: 'sms', appId, providers: ['main'] })),
  'carriers/removeRoute': row('carriers', 'installation', ({ appId }) => ({ channel: 'voice', appId }), 404),

  'overview/show': row('look', 'apps', () => ({ mode: 'live' })),

  'usage/report': row('look', 'apps', () => ({
    ...{ mode: 'live', from: REPORTED, to: REPORTED, timeZone: 'UTC', groupBy: ['app', 'purpose'] },
  })),

  'prices/list': row('look', 'installation'),
  'prices/set': row('finance', 'installation', () => ({
    ...{ carrier: 'main', country: 'KR', channel: 'sms', currency: 'KRW', amount: '9.9', validFrom: REPORTED },
  })),
  'prices/remove': row('finance', 'installation', () => ({ priceId: 'prc_none' }), 404),
  'tokens/list': row('operators', 'installation'),
  'tokens/create': row('operators', 'installation', () => ({ name: 'deploy', scopes: ['apps:read'] })),
  'tokens/revoke': row('operators', 'installation', () => ({ tokenId: 'none' }), 404),

  'protection/state': row('look', 'app', ofApp),
  'protection/sentTo': row('look', 'app', ofApp),
  'protection/lately': row('look', 'app', ofApp),
  'protection/phone': row('find', 'app', ofPhone),
  'protection/unlock': row('find', 'app', (of) => ({ ...ofPhone(of), kinds: ['pk'] })),
  'protection/show': row('look', 'app', (of) => ({ ...ofApp(of), ...MONTH })),
  'protection/incidents': row('look', 'app', ofApp),
  'protection/block': row('protection', 'app', ({ appId }) => ({ appId, country: 'KR' })),
  'protection/unblock': row('protection', 'app', ({ appId }) => ({ appId, country: 'KR' })),
  'protection/end': row('protection', 'app', ofIncident),
  'protection/refund': row('money', 'app', ofIncident),

  'audit/list': row('audit', 'installation'),
  'audit/end': row('audit', 'installation'),
  'audit/verify': row('audit', 'installation'),

  'privacy/read': row('privacy', 'app', ofPhone),
  'privacy/export': row('privacy', 'app', ofPhone),
  'privacy/erase': row('privacy', 'app', ofPhone),

  'system/show': row('look', 'installation'),

  'live/changes': row('look', 'anyone'),

  'notices/open': row('look', 'apps'),
  'notices/list': row('look', 'apps'),
  'notices/ways': row('carriers', 'installation'),
  'notices/addWay': row('carriers', 'installation', () => SLACK),
  'notices/removeWay': row('carriers', 'installation', () => ({ wayId: 'way_none' }), 404),
  'notices/testWay': row('carriers', 'installation', () => ({ wayId: 'way_none' }), 404),
}
