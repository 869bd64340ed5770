import type { RelaySource } from '../../../../domain/relays/relay'
import type { client } from '../../api'
import { inWords } from '../../i18n/words'

export type ShownRelay = Awaited<ReturnType<typeof client.relays.list>>['relays'][number]
export type CreatedRelay = Awaited<ReturnType<typeof client.relays.create>>

export const relayWords = inWords({
  en: {
    about:
      'A relay delivers the codes of another platform, such as Supabase or Keycloak. That platform makes the code and verifies it.',
    create: 'Create relay',
    made: 'The new relay',
    list: (mode: string) => `Relays, ${mode}`,
    emptyTest: 'No test relay yet',
    emptyTestNext: 'Create one: it takes codes for any number, sends nothing, and the test inbox shows the codes.',
    emptyLive: 'No live relay yet',
    emptyLiveNext: 'Create one once your platform works with a test relay. Its messages are sent and charged.',
    emptyViewer: 'Operators with the role developer or owner can create relays.',
    name: 'Name',
    nameAbout: 'Letters, digits, dots, dashes and underscores. Lists show it.',
    source: 'Platform',
    sources: {
      supabase: 'Supabase',
      kratos: 'Ory Kratos',
      zitadel: 'ZITADEL',
      logto: 'Logto',
      authgear: 'Authgear',
      clerk: 'Clerk',
      authsignal: 'Authsignal',
      otpgateway: 'OTP Gateway',
      plain: 'Another (Keycloak, WSO2, …)',
    } satisfies Record<RelaySource, string>,
    setup: {
      supabase: 'In Supabase: Authentication, Auth Hooks, Send SMS hook, HTTPS. Enter the URL and the whole secret.',
      kratos:
        'In Kratos: a courier channel “sms” of the type http with this URL. Its authentication is api_key, in the header Authorization: “Bearer” and the secret.',
      zitadel:
        'In ZITADEL: add an HTTP SMS provider with this URL and activate it. Its signing key belongs under “Change secret” here.',
      logto: 'In Logto: Connectors, HTTP SMS. The endpoint is this URL, and the authorization is the secret.',
      authgear:
        'In Authgear: a custom SMS provider by webhook with this URL. Its webhook secret belongs under “Change secret” here.',
      clerk:
        'In Clerk: a webhook endpoint with this URL for sms.created. Switch off “Delivered by Clerk” in the SMS template. Its signing secret belongs under “Change secret” here.',
      authsignal:
        'In Authsignal: the SMS provider Webhook with this URL. Its signing secret belongs under “Change secret” here.',
      otpgateway: 'In OTP Gateway: the webhook provider with this URL, any user name, and the secret as password.',
      plain:
        'POST “to”, “text” and “code” to this URL, as JSON or a form. The header Authorization is “Bearer” and the secret.',
    } satisfies Record<RelaySource, string>,
    url: 'URL',
    secret: 'Secret',
    givenSecret: 'Secret of the platform',
    givenSecretAbout: (source: string) => `${source} makes it. It may follow later; until then codes are refused.`,
    needsSecret: 'Needs its secret',
    template: 'Text',
    platformText: 'The text of the platform',
    legs: 'Channels, in order',
    appLegs: 'As SMS of the app',
    created: 'Created',
    actions: 'Actions',
    test: 'Send a test',
    testOf: (name: string) => `Send a test by ${name}`,
    changeSecret: 'Change secret',
    changeSecretOf: (name: string) => `Change secret of ${name}`,
    changeSecretMeans: 'The secret before stays valid for one more day, so that the platform can be changed meanwhile.',
    newSecret: (name: string) => `The secret of ${name}`,
    saved: (name: string) => `The secret of ${name} is saved.`,
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeTitle: (name: string) => `Remove the relay ${name}?`,
    removeMeans:
      'Its platform is answered with 401 from now on and can send no codes. Messages it has handed over stay.',
    removed: (name: string) => `The relay ${name} is removed.`,
  },
  ko: {
    about:
      '릴레이는 Supabase나 Keycloak 같은 다른 플랫폼의 인증번호를 발송합니다. 인증번호를 만들고 확인하는 것은 그 플랫폼입니다.',
    create: '릴레이 만들기',
    made: '새 릴레이',
    list: (mode) => `${mode} 릴레이`,
    emptyTest: '아직 테스트 릴레이가 없습니다',
    emptyTestNext: '릴레이를 만들어 보세요. 어떤 번호든 받지만 발송하지 않으며, 인증번호는 테스트 수신함에 표시됩니다.',
    emptyLive: '아직 운영 릴레이가 없습니다',
    emptyLiveNext: '테스트 릴레이로 연동을 마친 뒤 만드세요. 운영 릴레이의 메시지는 실제로 발송되고 차감됩니다.',
    emptyViewer: '개발자 또는 소유자 역할인 사람이 릴레이를 만들 수 있습니다.',
    name: '이름',
    nameAbout: '영문자, 숫자, 점, 하이픈, 밑줄을 쓸 수 있습니다. 목록에 표시됩니다.',
    source: '플랫폼',
    sources: {
      supabase: 'Supabase',
      kratos: 'Ory Kratos',
      zitadel: 'ZITADEL',
      logto: 'Logto',
      authgear: 'Authgear',
      clerk: 'Clerk',
      authsignal: 'Authsignal',
      otpgateway: 'OTP Gateway',
      plain: '기타(Keycloak, WSO2 등)',
    },
    setup: {
      supabase:
        'Supabase의 Authentication, Auth Hooks, Send SMS hook에서 HTTPS를 고르고 URL과 비밀 값 전체를 입력하세요.',
      kratos:
        'Kratos의 courier에 http 형식의 “sms” 채널을 추가하고 이 URL을 넣으세요. 인증은 api_key이며 Authorization 헤더에 “Bearer”와 비밀 값을 넣습니다.',
      zitadel: 'ZITADEL에 이 URL로 HTTP SMS 제공자를 추가하고 활성화한 뒤, 서명 키를 여기 “비밀 값 변경”에 입력하세요.',
      logto: 'Logto의 Connectors에서 HTTP SMS를 고르고, 엔드포인트에 이 URL을, authorization에 비밀 값을 넣으세요.',
      authgear: 'Authgear의 SMS 제공자를 이 URL의 웹훅으로 설정하고, 웹훅 비밀 값을 여기 “비밀 값 변경”에 입력하세요.',
      clerk:
        'Clerk에 이 URL로 sms.created 웹훅 엔드포인트를 추가하고, SMS 템플릿의 “Delivered by Clerk”를 끄세요. 서명 비밀 값을 여기 “비밀 값 변경”에 입력하세요.',
      authsignal:
        'Authsignal의 SMS 제공자를 이 URL의 Webhook으로 설정하고, 서명 비밀 값을 여기 “비밀 값 변경”에 입력하세요.',
      otpgateway:
        'OTP Gateway의 webhook 제공자에 이 URL을 넣으세요. 사용자 이름은 아무 값이나, 비밀번호는 비밀 값입니다.',
      plain:
        '이 URL로 “to”, “text”, “code”를 JSON이나 폼으로 POST하세요. Authorization 헤더는 “Bearer”와 비밀 값입니다.',
    },
    url: 'URL',
    secret: '비밀 값',
    givenSecret: '플랫폼의 비밀 값',
    givenSecretAbout: (source) => `${source}에서 만듭니다. 나중에 입력해도 되지만 그때까지 인증번호를 받지 않습니다.`,
    needsSecret: '비밀 값 필요',
    template: '문구',
    platformText: '플랫폼의 문구',
    legs: '채널 순서',
    appLegs: '앱의 SMS와 같음',
    created: '생성',
    actions: '작업',
    test: '테스트 발송',
    testOf: (name) => `${name} 테스트 발송`,
    changeSecret: '비밀 값 변경',
    changeSecretOf: (name) => `${name} 비밀 값 변경`,
    changeSecretMeans: '이전 비밀 값도 하루 동안 유효하므로 그동안 플랫폼의 설정을 바꿀 수 있습니다.',
    newSecret: (name) => `${name} 비밀 값`,
    saved: (name) => `${name} 비밀 값을 저장했습니다.`,
    remove: '삭제',
    removeOf: (name) => `${name} 삭제`,
    removeTitle: (name) => `${name} 릴레이를 삭제할까요?`,
    removeMeans:
      '지금부터 플랫폼의 요청에 401로 응답하므로 인증번호를 보낼 수 없습니다. 이미 받은 메시지는 그대로 남습니다.',
    removed: (name) => `${name} 릴레이를 삭제했습니다.`,
  },
})
