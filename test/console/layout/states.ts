/** Everything a newcomer meets in the console: each page in each of its states, and whatever opens over one. */
import type { Refused } from '../../../src/console/web/i18n/refusals'
import {
  type Answers,
  AT_REST,
  asViewer,
  BROKEN,
  CREATED_RELAY,
  EMPTY,
  ENDPOINT,
  FORBIDDEN,
  FULL,
  failing,
  INVITED,
  ISSUE,
  LOADING,
  NEEDS_SETUP,
  NO_APP,
  ofOneApp,
  onTheWay,
  RELAYED,
  refusal,
  SIGNED_OUT,
  SLOW_TEMPLATE,
  TOKEN,
  TRIED,
  withTotp,
} from './answers'
import { check, confirm, fill, press, type Step, see, select } from './steps'

export interface State {
  name: string
  /** Below `/console`. */
  path: string
  answers: Answers
  /** What has to be done to get there. */
  steps: readonly Step[]
  /** The file of `src/console/web` that opens something over the page. */
  opener?: string
  /** What is waited for does not come: spinners and grey bars are what is looked at. */
  isLoading?: boolean
  /** No procedure is reached at all. */
  isOffline?: boolean
  /** By a name that no browser trusts, over plain http. */
  isForeign?: boolean
}

const state = (name: string, path: string, answers: Answers, ...steps: Step[]): State => ({
  name,
  path,
  answers,
  steps,
})

/** A state in which something lies over the page. */
const over = (opener: string, name: string, path: string, answers: Answers, ...steps: Step[]): State => ({
  ...state(name, path, answers, ...steps, (page) => page.locator(OVER).filter({ visible: true }).first().waitFor()),
  opener,
})
const OVER = '[role=dialog], [role=menu], [role=listbox]'

const onPhone: Step = (page) => page.setViewportSize({ width: 360, height: 900 })

const LINK = `#${TOKEN}`
const WEBHOOK = `/webhooks/${ENDPOINT}`

/** The pages as they are full, by their address in the router; every other state of theirs goes by the same address. */
export const PAGES: Readonly<Record<string, string>> = {
  '/': '/',
  '/issues': '/issues',
  '/issues/$issueId': `/issues/${ISSUE}`,
  '/usage': '/usage',
  '/protection': '/protection',
  '/notices': '/notices',
  '/protection/policy': '/protection/policy',
  '/inbox': '/inbox',
  '/try-it': '/try-it',
  '/apps': '/apps',
  '/keys': '/keys',
  '/relays': '/relays',
  '/templates': '/templates',
  '/templates/edit': '/templates/edit?template=password_reset_business_kr_2025_autumn',
  '/webhooks': '/webhooks',
  '/webhooks/edit': `/webhooks/edit?endpoint=${ENDPOINT}`,
  '/webhooks/$endpointId': WEBHOOK,
  '/wallet': '/wallet',
  '/providers': '/providers',
  '/operators': '/operators',
  '/audit': '/audit',
  '/privacy': '/privacy',
  '/system': '/system',
  '/account': '/account',
}

/** For those who are not signed in. */
export const OUTSIDE: Readonly<Record<string, string>> = {
  '/sign-in': '/sign-in',
  '/set-up': `/set-up${LINK}`,
  '/invitation': `/invitation${LINK}`,
}

const FILTERED =
  '/issues?search=sign&status=unverified&delivery=failed&leg=sms&country=KR&code=UNREACHABLE&hour=14&last=24h'

const FAILURES = [AT_REST, FORBIDDEN, BROKEN]

const everyPage: State[] = Object.entries(PAGES).flatMap(([route, path], index) => [
  state(`${route}, full`, path, FULL),
  state(`${route}, empty`, path, EMPTY),
  { ...state(`${route}, loading`, path, LOADING), isLoading: true },
  state(`${route}, failing`, path, failing(FAILURES[index % FAILURES.length] ?? AT_REST)),
])

/** Where most of what can be done is gone, and where the whole page is. */
const FOR_VIEWERS = [
  '/',
  '/protection',
  '/notices',
  '/protection/policy',
  '/try-it',
  '/keys',
  '/relays',
  '/templates/edit',
  '/webhooks/edit',
  '/webhooks/$endpointId',
  '/audit',
  '/privacy',
]
const viewer = FOR_VIEWERS.map((route) => state(`${route}, for a viewer`, PAGES[route] ?? '', { ...FULL, ...asViewer }))

const signIn = [
  fill(/^(E-mail address|이메일)/, 'kim.young-hee.longest@department.example.com'),
  fill(/^(Password|비밀번호)/, 'correct horse battery'),
  press(/^(Sign in|로그인)$/),
]
const refused = (status: number, code: string, data: Refused): Answers => ({
  ...SIGNED_OUT,
  'session/signIn': refusal(status, code, 'Refused', data),
})

const signedOut: State[] = [
  state('sign-in', '/sign-in', SIGNED_OUT),
  state('sign-in, with nothing filled in', '/sign-in', SIGNED_OUT, press(/^(Sign in|로그인)$/)),
  state(
    'sign-in, a wrong password',
    '/sign-in',
    refused(401, 'UNAUTHORIZED', { reason: 'wrong_credentials' }),
    ...signIn,
    see(/is wrong|올바르지/),
  ),
  state(
    'sign-in, too often',
    '/sign-in',
    refused(429, 'TOO_MANY_REQUESTS', { retryAfterMs: 600_000 }),
    ...signIn,
    see(/Too many|너무 많/),
  ),
  state(
    'sign-in, with an authenticator app',
    '/sign-in',
    refused(401, 'UNAUTHORIZED', { reason: 'totp_needed' }),
    ...signIn,
    see(/authenticator app|인증 앱 코드/),
  ),
  state('sign-in, a password forgotten', '/sign-in', SIGNED_OUT, press(/Forgot your|잊으셨나요/)),
  state('sign-in, before anybody has an account', '/sign-in', NEEDS_SETUP),
  { ...state('sign-in, loading', '/sign-in', {}), isLoading: true },
  state(
    'sign-in, in a browser that keeps no cookie',
    '/sign-in',
    { ...SIGNED_OUT, 'session/signIn': { ok: true } },
    ...signIn,
    see(/did not keep|저장하지 못/),
  ),
  { ...state('sign-in, over plain http', '/sign-in', SIGNED_OUT), isForeign: true },
  { ...state('set-up, over plain http', `/set-up${LINK}`, NEEDS_SETUP), isForeign: true },
  state('sign-in, failing', '/sign-in', { 'session/current': BROKEN }),
  state('set-up', `/set-up${LINK}`, NEEDS_SETUP),
  state('set-up, with nothing filled in', `/set-up${LINK}`, NEEDS_SETUP, press(/^(Create the account|계정 만들기)$/)),
  state('set-up, by a used link', `/set-up${LINK}`, SIGNED_OUT),
  state('invitation', `/invitation${LINK}`, INVITED),
  { ...state('invitation, loading', `/invitation${LINK}`, SIGNED_OUT), isLoading: true },
  state('invitation, failing', `/invitation${LINK}`, { ...SIGNED_OUT, 'session/invitation': AT_REST }),
  state('invitation, by a used link', `/invitation${LINK}`, {
    ...SIGNED_OUT,
    'session/invitation': refusal(404, 'NOT_FOUND', 'No such thing'),
  }),
  state('a page that does not exist', '/no/such/page', FULL),
  { ...state('a server that is away', '/', FULL), isOffline: true },
]

const firstSteps: State[] = [
  state('first steps, no app', '/', NO_APP),
  state('first steps, no app, for a viewer', '/', { ...NO_APP, ...asViewer }),
  state('first steps, no app, on a page of one', '/keys', NO_APP),
  state('first steps, an app', '/', onTheWay()),
  state('first steps, tried', '/', onTheWay('tried')),
  state('first steps, a key', '/', onTheWay('tried', 'key')),
  state('first steps, a carrier', '/', onTheWay('tried', 'key', 'carrier')),
  state('first steps, credit', '/', onTheWay('tried', 'key', 'carrier', 'credit')),
  state('first steps, all', '/', onTheWay('tried', 'key', 'carrier', 'credit', 'webhook')),
  state('first steps, hidden', '/', onTheWay(), press(/^(Hide first steps|시작하기 숨기기)$/)),
]

const overview: State[] = [
  state('overview, live, of all apps', '/?mode=live', FULL),
  state('overview, live, of one app', '/?mode=live&app=a1', FULL),
  over('pages/overview/app-link.tsx', 'overview, of which app', '/?mode=live&app=all', FULL, press(/^(Issued|발급)$/)),
  state('overview, live, quiet', '/?mode=live', EMPTY),
]

const openFind = press(/^(Find|찾기)/)
const find =
  (text: string): Step =>
  async (page) => {
    await openFind(page)
    const field = page.getByRole('dialog').getByRole('combobox')
    await field.fill(text)
    await field.press('Enter')
  }
const frame: State[] = [
  state('the menu of pages on a phone', '/', FULL, onPhone, press(/^(Menu|메뉴)$/)),
  over('frame/user-menu.tsx', 'the menu of the operator', '/', FULL, press(/^Menu of|메뉴,/)),
  over('frame/find.tsx', 'the search, and what it finds', '/', FULL, find('010-1234-5678'), see(/^(7 found|7건)/)),
  state('an address that is no page', '/nowhere', FULL),
  state('the search, which finds nothing', '/', EMPTY, find('no such thing'), see(/^(Nothing found|찾은 것이)/)),
  state('the search, while typing', '/keys', FULL, openFind, (page) =>
    page.getByRole('dialog').getByRole('combobox').fill('e'),
  ),
  over('frame/frame.tsx', 'the choice of an app', '/keys', FULL, (page) =>
    page.locator('header input').first().click(),
  ),
]

const issueCode = press(/^(Issue code|인증번호 발급)$/)
const tryIt: State[] = [
  state('try it, issued', '/try-it', { ...FULL, 'issues/story': TRIED }, issueCode, see(/^(Verify|확인)$/)),
  state(
    'try it, verified',
    '/try-it',
    { ...FULL, 'issues/story': { ...TRIED, verificationStatus: 'verified' } },
    issueCode,
    press(/^(Verify|확인)$/),
    see(/This is all|앱에서 할 일은/),
  ),
  state(
    'try it, a wrong code',
    '/try-it',
    {
      ...FULL,
      'issues/story': TRIED,
      'inbox/verify': { verified: false, reasonCode: 'MISMATCH', attemptsRemaining: 4, expiresAt: TRIED.expiresAt },
    },
    issueCode,
    press(/^(Verify|확인)$/),
    see(/4 attempts|4회/),
  ),
  state(
    'try it, refused',
    '/try-it',
    { ...FULL, 'inbox/tryIt': refusal(402, 'PAYMENT_REQUIRED', 'Not enough credit') },
    select(/^(Scenario|시나리오)/, '7'),
    issueCode,
    see(/This scenario simulates|의도된 결과/),
  ),
]

const reviewNumbers = press(/^Review numbers of|심사용 번호$/)
const appSettings = press(/^Settings of|앱 설정$/)
const apps: State[] = [
  over('pages/apps/review-numbers.tsx', 'apps, review numbers', '/apps', FULL, reviewNumbers, see(/Google Play/)),
  over('pages/apps/review-numbers.tsx', 'apps, no review numbers', '/apps', EMPTY, reviewNumbers),
  over(
    'pages/apps/review-numbers.tsx',
    'apps, review numbers, refused',
    '/apps',
    {
      ...FULL,
      'apps/addReviewNumber': refusal(400, 'BAD_REQUEST', 'Refused', {
        ...{ param: 'days', reason: 'out_of_range', about: { min: 1, max: 90 } },
      }),
    },
    reviewNumbers,
    (page) => page.getByPlaceholder('App Store').fill('Galaxy'),
    (page) => page.getByPlaceholder('+1 415 555 0132').fill('+82 10-1234-5678'),
    confirm(/^(Add|추가)$/),
    see(/90/),
  ),
  over('pages/apps/settings.tsx', 'apps, the settings of one', '/apps', FULL, appSettings),
  over(
    'pages/apps/settings.tsx',
    'apps, settings that delete old issues',
    '/apps',
    FULL,
    appSettings,
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Retention of live|운영 발급 내역 보관)/)
        .fill('7'),
    see(/older than 7 days|7일보다 오래된/),
  ),
  over(
    'parts/confirm.tsx',
    'apps, removing a review number',
    '/apps',
    FULL,
    press(/^(Review numbers of|.*심사용 번호$)/),
    press(/^(Remove |.* 삭제$)/),
  ),
  over(
    'pages/apps/settings.tsx',
    'apps, settings without a name',
    '/apps',
    FULL,
    appSettings,
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Name of the app|앱 이름)/)
        .fill(''),
    confirm(/^(Save|저장)$/),
    see(/Enter a name|이름을 입력하세요/),
  ),
  over(
    'pages/apps/settings.tsx',
    'apps, settings, a domain that is none',
    '/apps',
    {
      ...FULL,
      'apps/setTexts': refusal(400, 'BAD_REQUEST', 'Refused', { param: 'webOtpDomain', reason: 'invalid_host' }),
    },
    appSettings,
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Domain of the page|인증번호를 입력하는)/)
        .fill('https://example.com'),
    confirm(/^(Save|저장)$/),
    see(/Only the name of a host|호스트 이름만 입력하세요/),
  ),
  over(
    'pages/apps/new-app.tsx',
    'apps, choosing a region',
    '/apps',
    FULL,
    appSettings,
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Region|지역)/)
        .first()
        .click(),
    (page) => page.getByRole('option', { name: /^(Germany|독일)/ }).waitFor(),
  ),
]

const PHONES = '/protection/policy'
const lookAtPhone = [fill(/^(Phone number|전화번호)/, '010-1234-5678'), press(/^(Look up|조회)$/)]
const POLICY = '/protection/policy'
/** Opens the dialog of one rule. */
const change = (rule: RegExp) => press(rule)
const COUNTRIES = change(/^(Change the rule: Countries|규칙 변경: 국가)$/)
const CAPS = change(/^(Change the rule: Caps|규칙 변경: 상한)$/)
const CHALLENGE = change(/^(Change the rule: Challenge|규칙 변경: 거부 대신)/)
const inDialog =
  (name: RegExp): Step =>
  (page) =>
    page.getByRole('dialog').getByRole('combobox', { name }).click()
const protection: State[] = [
  state('protection, opening a phone', PHONES, FULL, ...lookAtPhone, see(/^\+8210/)),
  state('protection, a phone that is not locked', PHONES, EMPTY, ...lookAtPhone, see(/neither locked|잠금이나/)),
  state('protection, opening no phone', PHONES, EMPTY, press(/^(Look up|조회)$/), see(/Enter a number|번호를 입력/)),
  state(
    'protection, a phone that cannot be opened',
    PHONES,
    { ...FULL, 'protection/unlock': FORBIDDEN },
    ...lookAtPhone,
    press(/^(Unlock both|둘 다 잠금 해제)$/),
  ),
  ...(
    [
      ['what becomes of other countries', COUNTRIES, /^(Codes to countries not on|허용 목록에 없는 국가)/],
      ['opening countries', COUNTRIES, /^(Allow list of countries for browser|브라우저 키의 국가 허용)/],
      [
        'how long a phone is locked',
        change(/^(Change the rule: Wrong|규칙 변경: 틀린)/),
        /^(After 100|인증번호를 연속)/,
      ],
      ['who is trusted', change(/^(Change the rule: Allow|규칙 변경: 허용)/), /^(Countries|국가)/],
      [
        'what becomes of low conversion',
        change(/^(Change the rule: Conv|규칙 변경: 전환율)/),
        /^(Codes to dest|전환율이)/,
      ],
    ] as const
  ).map(([what, open, field]) =>
    over('pages/protection/policy-fields.tsx', `policy, ${what}`, POLICY, FULL, open, inDialog(field)),
  ),
  over('pages/protection/change-policy.tsx', 'policy, the caps', POLICY, FULL, CAPS),
  over(
    'pages/protection/change-policy.tsx',
    'policy, what a country closes',
    POLICY,
    FULL,
    COUNTRIES,
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Deny list|모든 키의 국가)/)
        .fill('KR'),
    (page) => page.keyboard.press('Enter'),
    (page) => page.keyboard.press('Tab'),
    see(/Concerns|대상:/),
  ),
  over(
    'pages/protection/change-policy.tsx',
    'policy, a cap of nothing',
    POLICY,
    {
      ...EMPTY,
      'apps/protect': refusal(400, 'BAD_REQUEST', 'Refused', {
        ...{ param: 'caps', reason: 'out_of_range', about: { min: 1, max: 1_000_000_000 } },
      }),
    },
    CAPS,
    press(/^(Add a cap|상한 추가)$/),
    fill(/^(Browser keys: messages per country per day|브라우저 키: 국가마다 하루에 메시지)$/, ''),
    confirm(/^(Save|저장)$/),
    see(/A whole number from|부터 .*까지의 정수/),
  ),
  ...(
    [
      ['the proof that is asked for', /^(Challenge vendor|요구할 확인)/],
      ['what an outage of its vendor means', /^(While the vendor|업체가 응답하지)/],
    ] as const
  ).map(([what, field]) =>
    over('pages/protection/challenge.tsx', `policy, ${what}`, POLICY, FULL, CHALLENGE, inDialog(field)),
  ),
  over(
    'pages/protection/change-challenge.tsx',
    'policy, a proof without its secret',
    POLICY,
    { ...FULL, 'apps/setChallenge': refusal(400, 'BAD_REQUEST', 'Refused', { param: 'secret', reason: 'required' }) },
    CHALLENGE,
    inDialog(/^(Challenge vendor|요구할 확인)/),
    (page) => page.getByRole('option', { name: 'hCaptcha' }).click(),
    confirm(/^(Save|저장)$/),
    see(/This field is required|꼭 필요한 값/),
  ),
  state('policy, of which the proof cannot be read', POLICY, { ...FULL, 'apps/challenge': AT_REST }),
  over(
    'pages/protection/incidents.tsx',
    'protection, refunding an incident',
    '/protection',
    FULL,
    press(/^Refund the incident|사고 환불$/),
  ),
  ...(['prefix', 'network', 'rule'] as const).map((group) =>
    state(`protection, by ${group}`, `/protection?range=30d&group=${group}`, FULL),
  ),
  state('protection, many countries that secret keys send to', POLICY, {
    ...EMPTY,
    'protection/sentTo': FULL['protection/sentTo'],
  }),
  over(
    'pages/protection/ask.tsx',
    'protection, blocking a country',
    '/protection',
    FULL,
    press(/^(Block for a day|하루 차단)/),
  ),
  over(
    'pages/protection/ask.tsx',
    'protection, ending an incident',
    '/protection',
    FULL,
    press(/^(End the|.*사고 종료)/),
  ),
  over(
    'pages/protection/ask.tsx',
    'protection, closing all other countries',
    POLICY,
    { ...EMPTY, 'protection/sentTo': FULL['protection/sentTo'], 'protection/lately': FULL['protection/lately'] },
    press(/^(Allow only verified countries|인증된 국가만 허용)/),
  ),
  state('protection, by network, empty', '/protection?range=7d&group=network', EMPTY),
  state(
    'protection, a block refused',
    '/protection',
    { ...FULL, 'protection/block': FORBIDDEN },
    press(/^(Block for a day|하루 차단)/),
    press(/^(Block for a day|하루 차단)$/),
    see(/That did not work|처리하지 못했습니다/),
  ),
]

const createKey = press(/^(Create key|키 만들기)$/)
const keys: State[] = [
  state('keys, the ended ones too', '/keys', FULL, check(/Show revoked|폐기·만료된/)),
  over('pages/keys.tsx', 'keys, creating a secret one', '/keys', FULL, createKey),
  over(
    'pages/keys.tsx',
    'keys, creating a public live one',
    '/keys',
    FULL,
    createKey,
    check(/In a browser|브라우저: 브라우저/),
    (page) =>
      page
        .getByRole('dialog')
        .getByRole('radio', { name: /^(Live|운영)/ })
        .check(),
    select(/^(Expires|만료)$/, 'day'),
  ),
  over(
    'pages/keys.tsx',
    'keys, refused',
    '/keys',
    { ...FULL, 'keys/create': FORBIDDEN },
    createKey,
    confirm(/^(Create key|키 만들기)$/),
  ),
  over(
    'pages/keys.tsx',
    'keys, created',
    '/keys',
    FULL,
    createKey,
    confirm(/^(Create key|키 만들기)$/),
    see(/I have stored it|보관했습니다/),
  ),
  state('keys, live ones', '/keys?mode=live', FULL),
  over('pages/keys.tsx', 'keys, what a live public one may do', '/keys?mode=live', FULL, press(/^Rights of|권한$/)),
  over(
    'pages/keys.tsx',
    'keys, what one may do, refused',
    '/keys?mode=live',
    { ...FULL, 'keys/allow': FORBIDDEN },
    press(/^Rights of|권한$/),
    confirm(/^(Save|저장)$/),
    see(/That did not work|처리하지 못했습니다/),
  ),
  over('pages/keys.tsx', 'keys, rotating', '/keys', FULL, press(/^Rotate|교체$/)),
  over('pages/keys.tsx', 'keys, revoking', '/keys', FULL, press(/^Revoke|폐기$/)),
]

const addWay = press(/^(Add a way|알림 수단 추가)$/)
const notices: State[] = [
  over('pages/notices/ways.tsx', 'notices, adding a way by mail', '/notices', FULL, addWay),
  over(
    'pages/notices/ways.tsx',
    'notices, a way with its secret',
    '/notices',
    FULL,
    addWay,
    fill(/^(Name|이름)/, 'pager'),
    select(/^(Channel|채널)$/, 'webhook'),
    fill(/^URL/, 'https://ops.example.com/notices'),
    confirm(/^(Add a way|알림 수단 추가)$/),
    see(/whsec_/),
  ),
  state(
    'notices, a test that was not taken',
    '/notices',
    FULL,
    press(/^(Send a test on duty|duty 테스트 발송)$/),
    see(/HTTP 404$/),
  ),
  over('pages/notices/ways.tsx', 'notices, removing a way', '/notices', FULL, press(/^(Remove duty|duty 삭제)$/)),
]

const createRelay = press(/^(Create relay|릴레이 만들기)$/)
const relayName = fill(/^(Name|이름)/, 'login')
const relays: State[] = [
  state('relays, live ones', '/relays?mode=live', FULL),
  state(
    'relays, a purpose for Twilio, refused',
    '/relays',
    {
      ...FULL,
      'apps/addTwilioPurpose': refusal(400, 'BAD_REQUEST', 'Refused', {
        ...{ param: 'purpose', reason: 'too_many', about: { max: 100 } },
      }),
    },
    (page) => page.getByPlaceholder('signup').fill('login'),
    press(/^(Add purpose|용도 추가)$/),
    see(/100/),
  ),
  state('relays, a message of one', `/issues/${ISSUE}`, { ...FULL, 'issues/story': RELAYED }),
  over(
    'pages/relays.tsx',
    'relays, creating one with channels',
    '/relays',
    FULL,
    createRelay,
    select(/^(Platform|플랫폼)$/, 'zitadel'),
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Add a channel|채널 추가)$/)
        .selectOption('voice'),
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Add a channel|채널 추가)$/)
        .selectOption('sms'),
  ),
  over(
    'pages/relays.tsx',
    'relays, refused',
    '/relays',
    {
      ...FULL,
      'relays/create': refusal(400, 'BAD_REQUEST', 'Refused', {
        ...{ param: 'name', reason: 'name_taken', about: { name: 'login' } },
      }),
    },
    createRelay,
    relayName,
    confirm(/^(Create relay|릴레이 만들기)$/),
    see(/There is a “|이미 있습니다/),
  ),
  ...(['supabase', 'clerk'] as const).map((source) =>
    over(
      'pages/relays.tsx',
      `relays, created for ${source}`,
      '/relays',
      {
        ...FULL,
        'relays/create': {
          ...CREATED_RELAY,
          source,
          secret: source === 'supabase' ? CREATED_RELAY.secret : undefined,
        },
      },
      createRelay,
      relayName,
      confirm(/^(Create relay|릴레이 만들기)$/),
      see(/^(In (Supabase|Clerk):|(Supabase의|Clerk에))/),
    ),
  ),
  over('pages/relays.tsx', 'relays, sending a test', '/relays', FULL, press(/^Send a test by|테스트 발송$/)),
  over(
    'pages/relays.tsx',
    'relays, a test was sent',
    '/relays',
    FULL,
    press(/^Send a test by|테스트 발송$/),
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Phone number|전화번호)/)
        .fill('010-1234-5678'),
    confirm(/^(Send a test|테스트 발송)$/),
    see(/took the code|인증번호를 받았습니다/),
  ),
  over(
    'pages/relays.tsx',
    'relays, changing a secret',
    '/relays',
    FULL,
    press(/^Change secret of login|^login 비밀 값/),
  ),
  over(
    'pages/relays.tsx',
    'relays, giving the secret of the platform',
    '/relays',
    FULL,
    press(/^Change secret of identity|^identity.* 비밀 값/),
  ),
  over('pages/relays.tsx', 'relays, removing one', '/relays', FULL, press(/^Remove login|^login 삭제/)),
]

const MORE = press(/^(More|더 보기)$/)
const wallet: State[] = [
  over('pages/wallet.tsx', 'wallet, topping up', '/wallet', FULL, press(/^(Top up|충전)$/)),
  over(
    'pages/wallet.tsx',
    'wallet, topping up by nothing',
    '/wallet',
    FULL,
    press(/^(Top up|충전)$/),
    confirm(/^(Top up|충전)$/),
  ),
  over('pages/wallet.tsx', 'wallet, clawing back', '/wallet', FULL, MORE, press(/^(Claw back|회수)$/, 'menuitem')),
  over(
    'pages/wallet.tsx',
    'wallet, confirming a clawback',
    '/wallet',
    FULL,
    MORE,
    press(/^(Claw back|회수)$/, 'menuitem'),
    fill(/^(Amount in credits|크레딧)/, '1000000'),
    confirm(/^(Claw back|회수)$/),
    see(/Type “|확인하려면/),
  ),
  over(
    'pages/wallet.tsx',
    'wallet, overdraft and alert',
    '/wallet',
    FULL,
    press(/^(Overdraft and alert|초과 사용과 알림)$/),
  ),
  over(
    'pages/webhooks/delivery-details.tsx',
    'an issue, an event as it was told',
    `/issues/${ISSUE}`,
    FULL,
    press(/^(Payload and headers of|otp.verified 페이로드)/),
  ),
  over(
    'pages/protection/phones.tsx',
    'an issue, unlocking its phone',
    `/issues/${ISSUE}`,
    FULL,
    press(/^(Unlock the phone|전화번호 잠금 해제)$/),
  ),
  over('pages/issue.tsx', 'an issue, refunding', `/issues/${ISSUE}`, FULL, press(/^(Refund|환불)$/)),
]

const more = press(/^(More|더 보기)$/)
const webhooks: State[] = [
  state('webhooks, a new one', '/webhooks/edit', FULL),
  state(
    'webhooks, a new one refused',
    '/webhooks/edit',
    {
      ...FULL,
      'webhooks/add': refusal(400, 'BAD_REQUEST', 'Refused', {
        param: 'url',
        reason: 'target_not_allowed',
        about: { address: '10.0.0.1' },
      }),
    },
    fill(/^URL/, 'https://10.0.0.1/hooks'),
    press(/^(Add endpoint|엔드포인트 추가)$/),
    see(/address 10\.0\.0\.1|10\.0\.0\.1 주소/),
  ),
  over(
    'pages/webhook.tsx',
    'webhooks, sending a test event',
    WEBHOOK,
    FULL,
    press(/^(Send a test event|테스트 이벤트 보내기)$/),
  ),
  state(
    'webhooks, a test event is sent',
    WEBHOOK,
    FULL,
    press(/^(Send a test event|테스트 이벤트 보내기)$/),
    press(/otp.expired/, 'menuitem'),
    see(/is being sent|보내고 있습니다/),
  ),
  over('pages/webhook.tsx', 'webhooks, more to do', WEBHOOK, FULL, more),
  over(
    'pages/webhooks/secret.tsx',
    'webhooks, rotating the secret',
    WEBHOOK,
    FULL,
    more,
    press(/Rotate secret|시크릿 교체/, 'menuitem'),
  ),
  over(
    'pages/webhooks/secret.tsx',
    'webhooks, rotated',
    WEBHOOK,
    FULL,
    more,
    press(/Rotate secret|시크릿 교체/, 'menuitem'),
    confirm(/^(Create a new secret|새 시크릿 만들기)$/),
    see(/I have stored it|보관했습니다/),
  ),
  over('parts/confirm.tsx', 'webhooks, disabling', WEBHOOK, FULL, more, press(/^(Disable|사용 중지)$/, 'menuitem')),
  over('pages/webhook.tsx', 'webhooks, removing', WEBHOOK, FULL, more, press(/^(Remove|삭제)$/, 'menuitem')),
  state(
    'webhooks, a change that is refused',
    WEBHOOK,
    { ...FULL, 'webhooks/update': AT_REST },
    more,
    press(/^(Disable|사용 중지)$/, 'menuitem'),
    confirm(/^(Disable|사용 중지)$/),
    see(/That did not work|처리하지 못했습니다/),
  ),
  over(
    'pages/webhooks/deliveries.tsx',
    'webhooks, sending again',
    WEBHOOK,
    FULL,
    press(/^(Replay failed events|실패한 이벤트 재전송)$/),
  ),
  over('pages/webhooks/delivery-details.tsx', 'webhooks, a delivery', WEBHOOK, FULL, press(/^Details|자세히$/)),
  state('webhooks, disabled', '/webhooks/e2', FULL),
  state('webhooks, held back', '/webhooks/e3', FULL),
]

const askToErase = [fill(/^(Phone number|전화번호)/, '010-1234-5678'), press(/^(Erase|삭제)$/)]
const erase = [fill(/^(Type “|확인하려면 “)/, '+821012345678'), confirm(/^(Erase|삭제)$/)]
const people: State[] = [
  state('carriers, for one who sees some apps only', '/providers', { ...FULL, ...ofOneApp }),
  over('pages/operators.tsx', 'operators, inviting', '/operators', FULL, press(/^(Invite|초대하기)$/)),
  over(
    'pages/operators.tsx',
    'operators, invited',
    '/operators',
    FULL,
    press(/^(Invite|초대하기)$/),
    confirm(/^(Create a link|링크 만들기)$/),
  ),
  over(
    'pages/operators/operator-table.tsx',
    'operators, what to do with one',
    '/operators',
    FULL,
    press(/^Actions for Bob|^Bob 님/),
  ),
  over(
    'pages/operators/operator-table.tsx',
    'operators, changing a role',
    '/operators',
    FULL,
    press(/^Actions for Bob|^Bob 님/),
    press(/Change role|역할과 앱 변경/, 'menuitem'),
  ),
  over(
    'pages/operators/operator-table.tsx',
    'operators, some apps only',
    '/operators',
    FULL,
    press(/^Actions for Bob|^Bob 님/),
    press(/Change role|역할과 앱 변경/, 'menuitem'),
    check(/^(Some apps only|일부 앱만)$/),
  ),
  over(
    'pages/operators/tokens.tsx',
    'operators, creating a token',
    '/operators',
    FULL,
    press(/^(Create a token|토큰 만들기)$/),
  ),
  over(
    'pages/operators/tokens.tsx',
    'operators, a token is shown once',
    '/operators',
    FULL,
    press(/^(Create a token|토큰 만들기)$/),
    fill(/^(Name|이름)/, 'watch'),
    press(/^(Create|만들기)$/),
  ),
  over(
    'pages/operators/tokens.tsx',
    'operators, choosing what a token may change',
    '/operators',
    FULL,
    press(/^(Create a token|토큰 만들기)$/),
    press(/^(May read and change|읽기와 변경 허용)$/, 'combobox'),
  ),
  over(
    'pages/operators/tokens.tsx',
    'operators, revoking a token',
    '/operators',
    FULL,
    press(/^(Revoke deploy|deploy 폐기)$/),
  ),
  over(
    'pages/operators/rights.tsx',
    'operators, which apps',
    '/operators',
    FULL,
    press(/^Actions for Bob|^Bob 님/),
    press(/Change role|역할과 앱 변경/, 'menuitem'),
    check(/^(Some apps only|일부 앱만)$/),
    press(/^(Which apps|볼 수 있는 앱)$/, 'combobox'),
  ),
  over(
    'pages/operators/operator-table.tsx',
    'operators, sessions of one',
    '/operators',
    FULL,
    press(/^Actions for Bob|^Bob 님/),
    press(/^(Sessions|세션)$/, 'menuitem'),
  ),
  over(
    'pages/operators/operator-table.tsx',
    'operators, removing',
    '/operators',
    FULL,
    press(/^Actions for Bob|^Bob 님/),
    press(/Remove|삭제/, 'menuitem'),
  ),
  over(
    'pages/account/second-factor.tsx',
    'account, setting up an authenticator app',
    '/account',
    FULL,
    press(/^(Set up|설정하기)$/),
  ),
  over(
    'pages/account/second-factor.tsx',
    'account, scanning the secret of an authenticator app',
    '/account',
    FULL,
    press(/^(Set up|설정하기)$/),
    (page) =>
      page
        .getByRole('dialog')
        .getByLabel(/^(Current password|현재 비밀번호)/)
        .fill('correct horse battery'),
    press(/^(Continue|계속하기)$/),
  ),
  over(
    'pages/account/second-factor.tsx',
    'account, removing the authenticator app',
    '/account',
    { ...FULL, ...withTotp },
    press(/^(Remove|해제하기)$/),
  ),
  over(
    'pages/account.tsx',
    'account, signing out everywhere',
    '/account',
    FULL,
    press(/^(Sign out everywhere|모든 기기에서 로그아웃)$/),
  ),
  state('account, with nothing filled in', '/account', FULL, press(/^(Change password|비밀번호 변경)$/)),
  state('audit, verified', '/audit', FULL, press(/^(Verify|검증하기)$/), see(/is intact|온전합니다/)),
  over('pages/audit.tsx', 'audit, choosing who', '/audit', FULL, press(/^(Actor|작업자)/, 'combobox')),
  over('pages/audit.tsx', 'audit, choosing what', '/audit', FULL, press(/^(Action|작업)$/, 'combobox')),
  over('pages/audit/export.tsx', 'audit, exporting', '/audit', FULL, press(/^(Export|내보내기)$/)),
  state(
    'privacy, with nothing filled in',
    '/privacy',
    FULL,
    press(/^(Export|내보내기)$/),
    see(/Enter a number|번호를 입력하세요/),
  ),
  over('pages/privacy.tsx', 'privacy, choosing an app', '/privacy', FULL, (page) =>
    page.getByRole('main').getByRole('combobox').click(),
  ),
  over('pages/privacy.tsx', 'privacy, erasing', '/privacy', FULL, ...askToErase),
  state('privacy, erased', '/privacy', FULL, ...askToErase, ...erase, see(/^Erased\. |^삭제했습니다: /)),
  state(
    'privacy, much to erase',
    '/privacy',
    { ...FULL, 'privacy/erase': {} },
    ...askToErase,
    ...erase,
    see(/erasure is running|삭제하는 중/),
  ),
]

const carrierTest = press(/^Send a test message|테스트 메시지 보내기$/)
const addCarrier = [press(/^(Add a carrier|발송사 추가)$/), see(/Clickatell/)]
const fillIn = [press(/^NHN /), fill(/^(Private key)/, '-----BEGIN PRIVATE KEY-----')]
const changeCarrier = press(/^Change the carrier main|^main 발송사 변경$/)
const checkNumber = press(/^(Check a number|번호 확인)$/)
const rotation = press(/^Rotate credentials of main|^main 인증 정보 교체$/)
const template = press(/^WhatsApp template of meta|^meta WhatsApp 템플릿$/)
const carriers: State[] = [
  over('pages/providers/carrier-test.tsx', 'carriers, a test', '/providers', FULL, carrierTest),
  over(
    'pages/providers/carrier-test.tsx',
    'carriers, a test refused',
    '/providers',
    FULL,
    carrierTest,
    fill(/^(Phone number|휴대폰 번호)/, '01012345678'),
    select(/^(Channel|채널)/, 'sms'),
    confirm(/^(Send|보내기)$/),
    see(/refused it|거절했습니다/),
  ),
  over('pages/providers/explain-route.tsx', 'carriers, checking a number', '/providers', FULL, checkNumber),
  over(
    'pages/providers/explain-route.tsx',
    'carriers, a number explained',
    '/providers',
    FULL,
    checkNumber,
    fill(/^(Phone number|휴대폰 번호)/, '01012345678'),
    confirm(/^(Check|확인)$/),
    see(/^(No carrier serves|이 채널을 보내는)/),
  ),
  over(
    'pages/providers/route-form.tsx',
    'carriers, setting a route',
    '/providers',
    FULL,
    press(/^(Set a route|경로 설정)$/),
  ),
  over(
    'pages/providers/route-form.tsx',
    'carriers, a route to nobody',
    '/providers',
    FULL,
    press(/^(Set a route|경로 설정)$/),
    confirm(/^(Set route|경로 설정)$/),
  ),
  over(
    'pages/providers/route-form.tsx',
    'carriers, changing a route',
    '/providers',
    FULL,
    press(/^Change the route|경로 변경$/),
  ),
  over(
    'pages/providers/routes.tsx',
    'carriers, removing a route',
    '/providers',
    FULL,
    press(/^Remove the route|경로 삭제$/),
  ),
  over(
    'pages/providers/add-carrier.tsx',
    'carriers, choosing the type of a new one',
    '/providers',
    FULL,
    ...addCarrier,
  ),
  over(
    'pages/providers/add-carrier.tsx',
    'carriers, no type of that name',
    '/providers',
    FULL,
    ...addCarrier,
    fill(/^(Search carriers|발송사 검색)/, 'nobody'),
    see(/^(No carrier has this name|이 이름의 발송사가)/),
  ),
  over('pages/providers/add-carrier.tsx', 'carriers, a new one', '/providers', FULL, ...addCarrier, ...fillIn),
  over(
    'pages/providers/add-carrier.tsx',
    'carriers, a new one of a name that is taken',
    '/providers',
    {
      ...FULL,
      'carriers/add': refusal(400, 'BAD_REQUEST', 'Refused', {
        param: 'name',
        reason: 'name_taken',
        about: { name: 'kakao-business-messaging-primary' },
      }),
    },
    ...addCarrier,
    ...fillIn,
    confirm(/^(Add carrier|발송사 추가)$/),
    see(/There is a “|이미 있습니다/),
  ),
  over(
    'pages/providers/add-carrier.tsx',
    'carriers, a new one of a wrong setting',
    '/providers',
    {
      ...FULL,
      'carriers/add': refusal(400, 'BAD_REQUEST', 'Refused', {
        param: 'config.sms.from',
        reason: 'invalid_setting',
        about: { says: 'must be a number that is registered with NHN' },
      }),
    },
    ...addCarrier,
    ...fillIn,
    confirm(/^(Add carrier|발송사 추가)$/),
    see(/registered with NHN$|registered with NHN\.$/),
  ),
  over(
    'pages/providers/add-carrier.tsx',
    'carriers, a new one is added',
    '/providers',
    FULL,
    ...addCarrier,
    ...fillIn,
    confirm(/^(Add carrier|발송사 추가)$/),
    see(/^A2M7/),
  ),
  over('pages/providers/change-carrier.tsx', 'carriers, changing one', '/providers', FULL, changeCarrier),
  over(
    'pages/providers/change-carrier.tsx',
    'carriers, changing one that cannot be read',
    '/providers',
    { ...FULL, 'carriers/settings': AT_REST },
    changeCarrier,
  ),
  over(
    'pages/providers/change-carrier.tsx',
    'carriers, removing one',
    '/providers',
    FULL,
    press(/^Remove the carrier main|main 발송사 삭제$/),
  ),
  over(
    'pages/providers/carrier-answers.tsx',
    'carriers, what one answered',
    '/providers',
    FULL,
    press(/^Failures and latency of main|^main 실패와 응답 시간$/),
  ),
  over(
    'pages/providers/carrier-answers.tsx',
    'carriers, one that answered nothing',
    '/providers',
    { ...FULL, 'carriers/answers': { accepted: 0, refused: 0, ambiguous: 0, failures: [] } },
    press(/^Failures and latency of main|^main 실패와 응답 시간$/),
  ),
  over('pages/providers/change-carrier.tsx', 'carriers, rotating credentials', '/providers', FULL, rotation),
  over(
    'pages/providers/change-carrier.tsx',
    'carriers, new credentials that are refused',
    '/providers',
    FULL,
    rotation,
    fill(/^(Phone number|휴대폰 번호)/, '01012345678'),
    confirm(/^(Test and use|테스트하고 사용)$/),
    see(/^(Messages still use the old|아직 기존 인증)/),
  ),
  over(
    'pages/providers/pause-carrier.tsx',
    'carriers, pausing one',
    '/providers',
    FULL,
    press(/^Pause the carrier main|^main 발송사 일시 중지$/),
  ),
  over('pages/providers/whatsapp-template.tsx', 'carriers, the template of WhatsApp', '/providers', FULL, template),
  over(
    'pages/providers/whatsapp-template.tsx',
    'carriers, no template of WhatsApp yet',
    '/providers',
    { ...FULL, 'carriers/whatsappTemplate': { template: 'otp_code', languages: [] } },
    template,
  ),
  over(
    'pages/providers/plan-form.tsx',
    'carriers, setting a delivery plan',
    '/providers',
    FULL,
    press(/^(Set a delivery plan|발송 순서 설정)$/),
  ),
  over(
    'pages/providers/plan-form.tsx',
    'carriers, changing a delivery plan',
    '/providers',
    FULL,
    press(/^Change the delivery plan sms|^sms .*발송 순서 변경$/),
  ),
  over(
    'pages/providers/plans.tsx',
    'carriers, removing a delivery plan',
    '/providers',
    FULL,
    press(/^Remove the delivery plan|발송 순서 삭제$/),
  ),
]

const templates: State[] = [
  state('templates, a new one', '/templates/edit', FULL),
  state('templates, a built-in one', '/templates/edit?template=otp_default_kr', FULL),
  state('templates, one with a mistake', PAGES['/templates/edit'] ?? '', {
    ...FULL,
    'templates/preview': { mistake: { param: 'body', reason: 'undeclared_placeholder', about: { name: 'name' } } },
  }),
  over(
    'pages/templates/fields.tsx',
    'templates, adding a language',
    '/templates/edit?template=otp_default_kr',
    FULL,
    press(/^(Add a language|언어 추가)/, 'combobox'),
  ),
  over(
    'pages/templates/preview.tsx',
    'templates, choosing the language shown',
    '/templates/edit?template=otp_default_kr',
    FULL,
    press(/^(Language shown|표시할 언어)/, 'combobox'),
  ),
  over(
    'pages/templates/versions.tsx',
    'templates, an older version compared',
    `/templates/edit?template=${SLOW_TEMPLATE}`,
    FULL,
    press(/^Compare version 1 with|^버전 1을\(를\) 현재/),
  ),
  state('templates, codes by language', '/templates/edit?template=otp_default_kr', FULL, async (page) => {
    await page.getByRole('button', { name: /^(Codes by language|언어별 코드)/ }).click()
    await page.getByLabel(/^(DLT template ID .* of English|영어 DLT 템플릿)/).waitFor()
  }),
  state('templates, a translation with a mistake', '/templates/edit?template=otp_default_kr', {
    ...FULL,
    'templates/preview': { mistake: { param: 'bodies.ja', reason: 'undeclared_placeholder', about: { name: 'name' } } },
  }),
  state('templates, one with a slow pattern', `/templates/edit?template=${SLOW_TEMPLATE}`, {
    ...FULL,
    'templates/preview': { mistake: { param: 'variables', reason: 'invalid_pattern', about: { name: 'shop' } } },
  }),
]

const usage: State[] = [
  state(
    'usage, of days of my choice, by purpose',
    '/usage?range=custom&from=2025-10-01&to=2025-10-31&groups=purpose',
    FULL,
  ),
  over('pages/usage/prices.tsx', 'usage, prices', '/usage', FULL, press(/^(Prices|가격)$/), see(/0\.007912/)),
  over('pages/usage/prices.tsx', 'usage, no prices', '/usage', EMPTY, press(/^(Prices|가격)$/)),
  over(
    'pages/usage/prices.tsx',
    'usage, a price is removed',
    '/usage',
    FULL,
    press(/^(Prices|가격)$/),
    press(/^(Remove the price 9\.9 KRW|가격 9\.9 KRW 삭제)$/),
  ),
  state('usage, as tables', '/usage', FULL, async (page) => {
    for (const choice of await page.getByText(/^(Table|표)$/).all()) await choice.click()
  }),
  over('pages/issues/views.tsx', 'issues, saving a view', FILTERED, FULL, press(/^(Save view|보기 저장)$/)),
  over('pages/issues/columns.tsx', 'issues, choosing columns', '/issues', FULL, press(/^(Table|표)$/)),
  over(
    'pages/issues/filters.tsx',
    'issues, choosing a carrier',
    '/issues',
    FULL,
    press(/^(More filters|필터 더 보기)$/),
    press(/^(Carrier|발송사)$/, 'combobox'),
  ),
  over(
    'pages/account.tsx',
    'account, choosing a time zone',
    '/account',
    FULL,
    press(/^(Time zone|시간대)$/, 'combobox'),
  ),
  state('issues, with every filter', FILTERED, FULL, press(/^(More filters|필터 더 보기)$/)),
  state('issues, with filters that fit nothing', '/issues?search=nothing&status=verified&from=2025-10-01', EMPTY),
]

export const STATES: readonly State[] = [
  ...signedOut,
  ...firstSteps,
  ...frame,
  ...everyPage,
  ...viewer,
  ...tryIt,
  ...apps,
  ...keys,
  ...notices,
  ...relays,
  ...overview,
  ...wallet,
  ...webhooks,
  ...people,
  ...carriers,
  ...templates,
  ...usage,
  ...protection,
]
