import type { client } from '../../api'
import { inWords } from '../../i18n/words'

export const providerWords = inWords({
  en: {
    about:
      'The carriers that deliver live messages, their health, the routes among them, and the delivery plans of apps.',
    carriers: 'Set up on this server',
    states: { healthy: 'Healthy', unhealthy: 'Unhealthy', paused: 'Paused' },
    reasons: {
      paused: 'It gets no new message until somebody resumes it. Reports still count.',
      unhealthy: 'It failed, so messages go by other carriers. A message tries it again at least every minute.',
    },
    pause: 'Pause',
    pauseOf: (name: string) => `Pause the carrier ${name}`,
    pauseMeans: (inFlight: string) =>
      `It gets no new message. Messages in flight (${inFlight} now) are finished, and delivery reports still count. Resume it at any time.`,
    pauseOthers: (others: string) => `Messages of its channels can go by: ${others}.`,
    pauseLast: (channels: string) =>
      `No other carrier sends ${channels}. New codes of that channel are refused, and waiting ones fail, until you resume it.`,
    pauseRoutes: (routes: string) => `These routes name no other carrier, so their codes are refused: ${routes}.`,
    paused: (name: string) => `The carrier ${name} is paused`,
    resume: 'Resume',
    resumeOf: (name: string) => `Resume the carrier ${name}`,
    resumed: (name: string) => `The carrier ${name} gets messages again`,
    inFlight: 'In flight',
    inFlightOf: (now: string, most: string) => `${now} of ${most} at a time`,
    waiting: 'Waiting',
    timeout: 'Timeout',
    lastHour: 'Last hour',
    accepted: 'accepted',
    refused: 'refused',
    ambiguous: 'unknown',
    nothing: 'Nothing sent',
    lastReport: 'Last report',
    noReport: (messages: string) => `None for ${messages} messages`,
    refusedReports: 'Reports refused today',
    refusedFor: {
      unmatched: (times: string) => `${times}: no message awaits them`,
      unauthorized: (times: string) => `${times}: secret or signature`,
      unreadable: (times: string) => `${times}: cannot be read`,
    },
    test: 'Send a test message',
    testOf: (name: string) => `Send a test message by ${name}`,
    emptyTitle: 'No carrier yet',
    emptyNext: 'Add the carrier that you have an account with. It delivers every live message from then on.',
    emptyViewer: 'Nobody has set one up yet. An owner can add one here.',
    add: 'Add a carrier',
    titles: { http: 'Any HTTP API', smpp: 'SMPP 3.4 session' },
    answers: 'Failures and latency',
    answersOf: (name: string) => `Failures and latency of ${name}`,
    rotate: 'Rotate credentials',
    rotateOf: (name: string) => `Rotate credentials of ${name}`,
    rotateMeans:
      'The new credentials send you a test message first. Messages use the old ones until the carrier accepts it. Delivery reports that are signed with the old ones count for another 24 hours.',
    rotateAction: 'Test and use',
    rotated: (name: string) => `${name} uses the new credentials`,
    notRotated: 'Messages still use the old credentials.',
    change: 'Change',
    changeOf: (name: string) => `Change the carrier ${name}`,
    changed: (name: string) => `The carrier ${name} is saved. Messages use it from now on.`,
    save: 'Save',
    template: 'Template',
    templateOf: (name: string) => `WhatsApp template of ${name}`,
    remove: 'Remove',
    removeOf: (name: string) => `Remove the carrier ${name}`,
    removed: (name: string) => `The carrier ${name} is removed`,
    removeMeans:
      'Its settings and credentials are deleted. Messages that wait for it go by other carriers of their channel. Reports that it still sends are refused.',
    removeRoutes: (routes: string) =>
      `These routes name it: ${routes}. They use their other carriers. A route without any uses every carrier of its channel.`,
    everyCountry: 'every country',
    to: 'Phone number',
    toHelp: 'Use your own phone: this sends a real message, bypassing the queue and the wallet.',
    channel: 'Channel',
    templateCode: 'Template code',
    templateCodeHelp: 'The carrier’s code of an approved template with a variable “code”.',
    send: 'Send',
    again: 'Send another',
    outcomes: {
      accepted: 'The carrier accepted it',
      refused: 'The carrier refused it',
      ambiguous: 'Unknown whether the carrier accepted it',
    },
    took: (latency: string) => `It answered after ${latency}.`,
    code: 'Code',
    messageId: 'Message id',
  },
  ko: {
    about:
      '운영 메시지를 전달하는 발송사와 그 상태, 무엇을 어느 발송사로 보낼지 정하는 경로, 그리고 앱의 발송 순서입니다.',
    carriers: '이 서버에 설정된 발송사',
    states: { healthy: '정상', unhealthy: '장애', paused: '일시 중지' },
    reasons: {
      paused: '재개할 때까지 새 메시지를 보내지 않습니다. 전송 결과는 계속 반영됩니다.',
      unhealthy: '실패가 이어져 다른 발송사로 보냅니다. 늦어도 1분마다 메시지 하나로 다시 시도합니다.',
    },
    pause: '일시 중지',
    pauseOf: (name) => `${name} 발송사 일시 중지`,
    pauseMeans: (inFlight) =>
      `새 메시지를 보내지 않습니다. 전송 중인 메시지(현재 ${inFlight}건)는 끝까지 처리하고 전송 결과도 계속 반영합니다. 언제든지 재개할 수 있습니다.`,
    pauseOthers: (others) => `같은 채널의 메시지를 보낼 수 있는 발송사: ${others}.`,
    pauseLast: (channels) =>
      `${channels} 채널을 보내는 다른 발송사가 없습니다. 재개할 때까지 이 채널의 새 인증번호는 거절되고 대기 중인 것은 실패합니다.`,
    pauseRoutes: (routes) => `다음 경로에는 다른 발송사가 없어 인증번호가 거절됩니다: ${routes}.`,
    paused: (name) => `${name} 발송사를 일시 중지했습니다`,
    resume: '재개',
    resumeOf: (name) => `${name} 발송사 재개`,
    resumed: (name) => `${name} 발송사로 다시 메시지를 보냅니다`,
    inFlight: '전송 중',
    inFlightOf: (now, most) => `동시 ${most}건 중 ${now}건`,
    waiting: '대기',
    timeout: '응답 제한 시간',
    lastHour: '최근 1시간',
    accepted: '접수',
    refused: '거절',
    ambiguous: '불명확',
    nothing: '보낸 메시지가 없습니다',
    lastReport: '마지막 전송 결과',
    noReport: (messages: string) => `메시지 ${messages}건에 대해 없음`,
    refusedReports: '오늘 받지 않은 전송 결과',
    refusedFor: {
      unmatched: (times: string) => `${times}건: 기다리는 메시지 없음`,
      unauthorized: (times: string) => `${times}건: 비밀 값 또는 서명`,
      unreadable: (times: string) => `${times}건: 읽을 수 없음`,
    },
    test: '테스트 메시지 보내기',
    testOf: (name) => `${name} 테스트 메시지 보내기`,
    emptyTitle: '아직 발송사가 없습니다',
    emptyNext: '계약한 발송사를 추가하세요. 그때부터 모든 운영 메시지를 이 발송사로 보냅니다.',
    emptyViewer: '아직 설정되지 않았습니다. 소유자가 여기에서 추가할 수 있습니다.',
    add: '발송사 추가',
    titles: { http: '모든 HTTP API', smpp: 'SMPP 3.4 세션' },
    answers: '실패와 응답 시간',
    answersOf: (name) => `${name} 실패와 응답 시간`,
    rotate: '인증 정보 교체',
    rotateOf: (name) => `${name} 인증 정보 교체`,
    rotateMeans:
      '새 인증 정보로 먼저 테스트 메시지를 보냅니다. 발송사가 접수할 때까지는 기존 인증 정보로 발송합니다. 기존 인증 정보로 서명된 전송 결과는 24시간 더 반영합니다.',
    rotateAction: '테스트하고 사용',
    rotated: (name) => `${name} 발송사가 새 인증 정보를 사용합니다`,
    notRotated: '아직 기존 인증 정보로 발송합니다.',
    change: '변경',
    changeOf: (name) => `${name} 발송사 변경`,
    changed: (name) => `${name} 발송사를 저장했습니다. 지금부터 적용됩니다.`,
    save: '저장',
    template: '템플릿',
    templateOf: (name) => `${name} WhatsApp 템플릿`,
    remove: '삭제',
    removeOf: (name) => `${name} 발송사 삭제`,
    removed: (name) => `${name} 발송사를 삭제했습니다`,
    removeMeans:
      '설정과 인증 정보를 삭제합니다. 대기 중인 메시지는 같은 채널의 다른 발송사로 보냅니다. 이후에 도착하는 전송 결과는 받지 않습니다.',
    removeRoutes: (routes) =>
      `다음 경로에 포함되어 있습니다: ${routes}. 경로의 다른 발송사를 사용하며, 남은 발송사가 없으면 해당 채널의 모든 발송사를 사용합니다.`,
    everyCountry: '모든 국가',
    to: '휴대폰 번호',
    toHelp: '본인의 번호를 입력하세요. 대기열과 지갑을 거치지 않고 실제로 발송됩니다.',
    channel: '채널',
    templateCode: '템플릿 코드',
    templateCodeHelp: '“code” 변수가 있는 승인된 템플릿의 발송사 코드입니다.',
    send: '보내기',
    again: '다시 보내기',
    outcomes: {
      accepted: '발송사가 접수했습니다',
      refused: '발송사가 거절했습니다',
      ambiguous: '발송사가 접수했는지 확실하지 않습니다',
    },
    took: (latency) => `${latency} 만에 응답했습니다.`,
    code: '코드',
    messageId: '메시지 ID',
  },
})

/** Routes in one line. */
export const routesInWords = (routes: readonly ShownRoute[], everyCountry: string) =>
  routes.map(({ channel, country = everyCountry }) => `${channel} ${country}`).join(', ')

/** Carriers, as the server answers them. */
export type ShownCarrier = Awaited<ReturnType<typeof client.carriers.list>>['providers'][number]
export type ShownRoute = Awaited<ReturnType<typeof client.carriers.routes>>['routes'][number]
export type ShownType = Awaited<ReturnType<typeof client.carriers.types>>['types'][number]
export type ShownSetting = ShownType['settings'][number]
export type ShownChannel = ShownType['channels'][number]
