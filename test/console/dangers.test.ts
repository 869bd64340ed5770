/**
 * Every procedure of the console and what stands before it. Whoever adds one decides here whether it may happen by a
 * slip of the hand.
 */
import { expect, test } from 'bun:test'
import { consoleContract } from '../../src/console/contract'

/**
 * `reads` changes nothing. `harmless` is done at once, as nobody misses anything by it or one click undoes it. `form` is
 * filled in first, and its fields say what they do. `asks` says what it touches and how to undo it. `name` cannot be
 * undone, and wants the name of the thing typed.
 */
type Guard = 'reads' | 'harmless' | 'form' | 'asks' | 'name'

const GUARDS: Readonly<Record<string, Guard>> = {
  'session/current': 'reads',
  'session/setUp': 'form',
  'session/signIn': 'form',
  'session/signOut': 'harmless',
  'session/signOutEverywhere': 'asks',
  'session/list': 'reads',
  'session/end': 'harmless',
  'session/endOthers': 'harmless',
  'session/changePassword': 'form',
  'session/totpBegin': 'form',
  'session/totpConfirm': 'form',
  'session/totpRemove': 'form',
  'session/invitation': 'reads',
  'session/accept': 'form',
  'operators/list': 'reads',
  'operators/invite': 'form',
  'operators/withdraw': 'harmless',
  'operators/changeRole': 'form',
  'operators/unlock': 'harmless',
  'operators/remove': 'name',
  'operators/sessions': 'reads',
  'operators/endSession': 'harmless',
  'operators/endSessions': 'harmless',
  'apps/list': 'reads',
  'apps/show': 'reads',
  'apps/create': 'form',
  'apps/remove': 'name',
  'apps/rename': 'form',
  'apps/setRegion': 'form',
  'apps/protect': 'asks',
  'apps/setTexts': 'form',
  'apps/setProvesMetadata': 'form',
  'apps/setRetention': 'form',
  'apps/setPlan': 'form',
  'apps/removePlan': 'name',
  'apps/challenge': 'reads',
  'apps/setChallenge': 'form',
  'apps/removeChallenge': 'form',
  'apps/reviewNumbers': 'reads',
  'apps/addReviewNumber': 'form',
  'apps/removeReviewNumber': 'asks',
  'apps/regions': 'reads',
  'apps/twilio': 'reads',
  'apps/addTwilioPurpose': 'form',
  'keys/list': 'reads',
  'keys/create': 'form',
  'keys/rotate': 'form',
  'keys/allow': 'form',
  'keys/revoke': 'name',
  'relays/list': 'reads',
  'relays/create': 'form',
  'relays/changeSecret': 'form',
  'relays/remove': 'name',
  'relays/test': 'form',
  'relays/messages': 'reads',
  'issues/list': 'reads',
  'issues/find': 'reads',
  'issues/story': 'reads',
  'inbox/list': 'reads',
  'inbox/tryIt': 'form',
  'inbox/verify': 'form',
  'wallet/show': 'reads',
  'wallet/ledger': 'reads',
  'wallet/topUp': 'form',
  'wallet/refund': 'asks',
  'wallet/clawback': 'name',
  'wallet/setOverdraft': 'form',
  'wallet/setAlert': 'form',
  'templates/list': 'reads',
  'templates/save': 'form',
  'templates/preview': 'reads',
  'templates/remove': 'name',
  'templates/versions': 'reads',
  'templates/rollBack': 'form',
  'webhooks/list': 'reads',
  'webhooks/show': 'reads',
  'webhooks/add': 'form',
  'webhooks/update': 'asks',
  'webhooks/remove': 'name',
  'webhooks/rotate': 'form',
  'webhooks/test': 'harmless',
  'webhooks/events': 'reads',
  'webhooks/attempts': 'reads',
  'webhooks/request': 'reads',
  'webhooks/replay': 'harmless',
  'webhooks/preview': 'reads',
  'carriers/list': 'reads',
  'carriers/test': 'form',
  'carriers/types': 'reads',
  'carriers/add': 'form',
  'carriers/settings': 'reads',
  'carriers/change': 'form',
  'carriers/compare': 'reads',
  'carriers/pause': 'asks',
  'carriers/resume': 'harmless',
  'carriers/remove': 'name',
  'carriers/whatsappTemplate': 'form',
  'carriers/rotate': 'form',
  'carriers/answers': 'reads',
  'carriers/explain': 'reads',
  'carriers/routes': 'reads',
  'carriers/setRoute': 'form',
  'carriers/removeRoute': 'name',
  'live/changes': 'reads',
  'notices/open': 'reads',
  'notices/list': 'reads',
  'notices/ways': 'reads',
  'notices/addWay': 'form',
  'notices/removeWay': 'name',
  'notices/testWay': 'harmless',
  'overview/show': 'reads',
  'usage/report': 'reads',
  'prices/list': 'reads',
  'prices/set': 'form',
  'prices/remove': 'asks',
  'tokens/list': 'reads',
  'tokens/create': 'form',
  'tokens/revoke': 'asks',
  'protection/state': 'reads',
  'protection/sentTo': 'reads',
  'protection/lately': 'reads',
  'protection/phone': 'reads',
  'protection/unlock': 'harmless',
  'protection/show': 'reads',
  'protection/incidents': 'reads',
  'protection/block': 'asks',
  'protection/unblock': 'harmless',
  'protection/end': 'asks',
  'protection/refund': 'asks',
  'audit/list': 'reads',
  'audit/end': 'reads',
  'audit/verify': 'reads',
  'privacy/read': 'reads',
  'privacy/export': 'reads',
  'privacy/erase': 'name',
  'system/show': 'reads',
}

const PAGES = new Map<string, string>()
for (const file of new Bun.Glob('**/*.tsx').scanSync('src/console/web'))
  PAGES.set(file, await Bun.file(`src/console/web/${file}`).text())

/** The files that call a procedure, as the pages do. */
const callersOf = (name: string) => {
  const call = new RegExp(
    `^(?! \\*).*\\b(client\\.${name.replace('/', '\\.')}\\(|api\\.${name.replace('/', '\\.')}\\.mutationOptions)`,
    'm',
  )
  return [...PAGES].filter(([, text]) => call.test(text))
}

const ASKS = /\b(confirm\(\{|openQuestion\(|openConfirmModal\()/
const ASKS_BY_NAME = /\bconfirmByName\(\{/
/** Forms that say above their button what the change touches. */
const FORMS = ['pages/protection/change-policy.tsx', 'pages/webhook-edit.tsx']

test('every procedure of the console says what stands before it', () => {
  const all = Object.entries(consoleContract).flatMap(([group, procedures]) =>
    Object.keys(procedures).map((name) => `${group}/${name}`),
  )
  expect(all.filter((name) => !(name in GUARDS))).toEqual([])
  expect(Object.keys(GUARDS).filter((name) => !all.includes(name))).toEqual([])
})

test.each(Object.entries(GUARDS).filter(([, guard]) => guard === 'name'))('%s wants the name typed', (name) => {
  for (const [file, text] of callersOf(name))
    expect({ file, asks: ASKS_BY_NAME.test(text) }).toEqual({ file, asks: true })
})

test.each(Object.entries(GUARDS).filter(([, guard]) => guard === 'asks'))('%s asks', (name) => {
  for (const [file, text] of callersOf(name).filter(([file]) => !FORMS.includes(file)))
    expect({ file, asks: ASKS.test(text) }).toEqual({ file, asks: true })
})

test('what asks is red, and what is harmless is not', () => {
  const buttons = [...PAGES.values()].flatMap(
    (text) => text.match(/<(Button|Menu\.Item)\b[^>]*onClick=\{(ask|\(\) => confirm)[^>]*>/g) ?? [],
  )
  expect(buttons.length).toBeGreaterThan(2)
  expect(buttons.filter((button) => !/\b(color|c)="red"/.test(button))).toEqual([])
})
