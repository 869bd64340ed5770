import type { LinkProps } from '@tanstack/react-router'
import type { NoticeChannel, NoticeKind } from '../../../../domain/operations/notice'
import type { client } from '../../api'
import { inWords } from '../../i18n/words'

export type ShownNotice = Awaited<ReturnType<typeof client.notices.open>>['notices'][number]
export type ShownWay = Awaited<ReturnType<typeof client.notices.ways>>['ways'][number]

/** The page where something can be done about it. */
export const PAGE_OF: Readonly<Record<NoticeKind, NonNullable<LinkProps['to']>>> = {
  no_credit: '/wallet',
  low_credit: '/wallet',
  carrier_down: '/providers',
  no_reports: '/providers',
  deliveries_failing: '/issues',
  attack: '/protection',
  endpoint_disabled: '/webhooks',
  backup_overdue: '/system',
  webhook_certificate: '/webhooks',
  disk_low: '/system',
  clock_stepped: '/system',
}

interface KindWords {
  title: string
  advice: string
}

export const noticeWords = inWords({
  en: {
    about: 'What needs you, and what to do about it. Each notice is told once, and once more when it is over.',
    list: 'Notices',
    what: 'What',
    since: 'Since',
    told: 'Told',
    open: 'Open',
    over: 'Over',
    urgent: 'Urgent',
    look: 'Look',
    empty: 'No notices',
    emptyNext: 'Low credit, a carrier that is down, an attack or an overdue backup would be here.',
    consoleOnly: 'Here only',
    phases: { began: 'began', ended: 'over' },
    statuses: { pending: 'waiting', sent: 'sent', failed: 'not taken', dropped: 'not sent' },
    kinds: {
      no_credit: { title: 'An app is out of credit', advice: 'Add credit. Codes go out again at once.' },
      low_credit: { title: 'Credit is low', advice: 'Add credit before its codes are refused.' },
      carrier_down: {
        title: 'A carrier is down',
        advice:
          'Its address does not answer, or the account is refused. Another carrier of the channel goes on meanwhile.',
      },
      no_reports: {
        title: 'A carrier reports nothing',
        advice: 'Compare the report URL and the secret that the carrier has with its settings here.',
      },
      deliveries_failing: {
        title: 'Deliveries are failing',
        advice: 'Look at the failed messages: their carrier and country say where they fail.',
      },
      attack: {
        title: 'Codes are requested that nobody verifies',
        advice: 'Look at the incident, and block the country if nobody of yours is there.',
      },
      endpoint_disabled: {
        title: 'A webhook endpoint is disabled',
        advice: 'Mend the receiver, enable the endpoint, and replay what failed.',
      },
      backup_overdue: {
        title: 'A backup is overdue',
        advice: 'Look at the room on the disk and at the owner of the folder, and make one by `watchword backup`.',
      },
      webhook_certificate: {
        title: 'The certificate of a webhook endpoint',
        advice: 'Its owner must renew it, or events are not delivered.',
      },
      disk_low: {
        title: 'The disk is almost full',
        advice: 'Make room, or move the data folder to a larger disk. On a full disk no code can be issued.',
      },
      clock_stepped: {
        title: 'The clock was set back',
        advice: 'Check time synchronization (NTP). Codes that were valid then expire that much earlier.',
      },
    } satisfies Record<NoticeKind, KindWords>,
    noCredit: (app: string) => `App ${app} has no credit left. Its codes are refused.`,
    disk: (free: string, needed: string) =>
      `${free} MiB are free on the disk of the data folder. Less than ${needed} MiB are too few.`,
    clock: (seconds: string) => `The clock of the database was set back by ${seconds} seconds in the last day.`,
    credit: (app: string, available: string) => `App ${app} has ${available} credits left.`,
    creditDays: (app: string, available: string, days: string) =>
      `App ${app} has ${available} credits left, enough for about ${days} days.`,
    carrier: (carrier: string, code: string) =>
      `Carrier ${carrier} does not accept messages${code === '' ? '' : ` (${code})`}.`,
    silent: (carrier: string, accepted: string, refused: string) =>
      `Carrier ${carrier} has reported nothing for ${accepted} accepted messages${refused === '0' ? '' : `; ${refused} reports were refused`}.`,
    failing: (app: string, percent: string, usual: string) =>
      `${percent} % of the messages of app ${app} failed in two hours, usually ${usual} %.`,
    attacked: (app: string, country: string) => `App ${app}: codes to ${country} look abused.`,
    noCountry: 'numbers without a country',
    disabled: (app: string, host: string, why: string) => `App ${app}: ${host} gets no more events. ${why}.`,
    noBackup: 'No backup has been made.',
    backup: (at: string) => `The newest backup is of ${at}.`,
    backupFailed: (at: string, why: string) => `The backup of ${at} failed: ${why}.`,
    refused: (app: string, host: string) => `App ${app}: the certificate of ${host} is refused.`,
    expires: (app: string, host: string, day: string) => `App ${app}: the certificate of ${host} expires on ${day}.`,

    ways: 'Where notices are told',
    waysList: 'Ways',
    actions: 'Actions',
    waysAbout: 'Beside this page. Every way gets every notice.',
    noWays: 'Notices are shown here only',
    noWaysNext: 'Add a way, so that somebody hears of them who does not look.',
    add: 'Add a way',
    name: 'Name',
    nameAbout: 'Lists show it.',
    channel: 'Channel',
    channels: { webhook: 'Signed webhook', mail: 'Mail', slack: 'Slack' } satisfies Record<NoticeChannel, string>,
    url: 'URL',
    urlAbout: {
      webhook: 'It may be on this machine or in a private network.',
      slack: 'The URL of an incoming webhook. Mattermost and others take the same.',
    },
    host: 'Mail server',
    port: 'Port',
    security: 'Encryption',
    securities: { tls: 'TLS', starttls: 'STARTTLS', none: 'None' },
    user: 'Account',
    password: 'Password',
    from: 'Sender',
    to: 'Receiver',
    target: 'To',
    secret: 'Secret of its signatures',
    added: (name: string) => `Notices are told on ${name}, too.`,
    newWay: 'The new way',
    test: 'Send a test',
    testOf: (name: string) => `Send a test on ${name}`,
    taken: (name: string) => `The receiver of ${name} took the test.`,
    notTaken: (name: string, error: string) => `The receiver of ${name} did not take the test: ${error}`,
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeMeans: 'Nobody is told of notices there any more. What waits for it is not sent.',
    removed: (name: string) => `${name} is removed.`,
  },
  ko: {
    about: '확인이 필요한 일과 해야 할 일입니다. 알림은 시작할 때 한 번, 끝날 때 한 번만 보냅니다.',
    list: '알림',
    what: '내용',
    since: '시작',
    told: '전송',
    open: '진행 중',
    over: '종료',
    urgent: '긴급',
    look: '확인하기',
    empty: '알림이 없습니다',
    emptyNext: '크레딧 부족, 발송사 장애, 공격, 밀린 백업 등이 여기에 표시됩니다.',
    consoleOnly: '콘솔에만 표시',
    phases: { began: '시작', ended: '종료' },
    statuses: { pending: '대기', sent: '전송됨', failed: '전송 실패', dropped: '보내지 않음' },
    kinds: {
      no_credit: { title: '앱의 크레딧이 모두 소진되었습니다', advice: '크레딧을 충전하면 바로 다시 발급됩니다.' },
      low_credit: { title: '크레딧이 부족합니다', advice: '인증번호 발급이 거부되기 전에 크레딧을 충전하세요.' },
      carrier_down: {
        title: '발송사가 응답하지 않습니다',
        advice: '발송사 계정을 확인하세요. 다른 발송사가 있는 경로는 계속 발송합니다.',
      },
      no_reports: {
        title: '발송사가 전송 결과를 알리지 않습니다',
        advice: '발송사에 등록한 결과 수신 URL과 비밀 값을 이곳의 설정과 비교하세요.',
      },
      deliveries_failing: {
        title: '발송 실패가 늘었습니다',
        advice: '실패한 메시지의 발송사와 국가를 확인하세요.',
      },
      attack: {
        title: '확인되지 않는 인증번호 요청이 많습니다',
        advice: '인시던트를 확인하고, 사용자가 없는 국가라면 차단하세요.',
      },
      endpoint_disabled: {
        title: '웹훅 엔드포인트 사용이 중지되었습니다',
        advice: '수신 서버를 고친 뒤 엔드포인트를 다시 켜고 실패한 이벤트를 다시 보내세요.',
      },
      backup_overdue: {
        title: '백업이 밀렸습니다',
        advice: '원인은 서버 로그에 있습니다. `watchword backup`으로 백업하세요.',
      },
      webhook_certificate: {
        title: '웹훅 엔드포인트 인증서',
        advice: '인증서를 갱신하지 않으면 이벤트를 보낼 수 없습니다.',
      },
      disk_low: {
        title: '디스크 공간이 거의 없습니다',
        advice:
          '공간을 확보하거나 데이터 폴더를 더 큰 디스크로 옮기세요. 디스크가 가득 차면 인증번호를 발급할 수 없습니다.',
      },
      clock_stepped: {
        title: '시계가 과거로 되돌아갔습니다',
        advice: '시간 동기화(NTP)를 확인하세요. 그때 유효하던 인증번호는 그만큼 일찍 만료됩니다.',
      },
    },
    noCredit: (app) => `${app} 앱에 남은 크레딧이 없습니다. 인증번호 발급이 거부됩니다.`,
    disk: (free, needed) => `데이터 폴더의 디스크에 ${free}MiB가 남았습니다. ${needed}MiB보다 적으면 부족합니다.`,
    clock: (seconds) => `최근 하루 동안 데이터베이스 시계가 ${seconds}초 뒤로 돌아갔습니다.`,
    credit: (app, available) => `${app} 앱에 크레딧이 ${available} 남았습니다.`,
    creditDays: (app, available, days) => `${app} 앱에 크레딧이 ${available} 남았습니다. 약 ${days}일 쓸 수 있습니다.`,
    carrier: (carrier, code) => `발송사 ${carrier}이(가) 메시지를 접수하지 않습니다${code === '' ? '' : `(${code})`}.`,
    silent: (carrier: string, accepted: string, refused: string) =>
      `발송사 ${carrier}이(가) 접수한 메시지 ${accepted}건의 전송 결과를 알리지 않았습니다${refused === '0' ? '' : ` (거부된 결과 ${refused}건)`}.`,
    failing: (app, percent, usual) =>
      `${app} 앱의 메시지가 두 시간 동안 ${percent}% 실패했습니다. 평소에는 ${usual}%입니다.`,
    attacked: (app, country) => `${app} 앱: ${country}(으)로 보내는 인증번호가 남용되는 것으로 보입니다.`,
    noCountry: '국가를 알 수 없는 번호',
    disabled: (app, host, why) => `${app} 앱: ${host}에 이벤트를 보내지 않습니다. ${why}.`,
    noBackup: '아직 백업이 없습니다.',
    backup: (day) => `가장 최근 백업은 ${day}입니다.`,
    backupFailed: (at, why) => `${at} 백업 실패: ${why}`,
    refused: (app, host) => `${app} 앱: ${host}의 인증서를 신뢰할 수 없습니다.`,
    expires: (app, host, day) => `${app} 앱: ${host}의 인증서가 ${day}에 만료됩니다.`,

    ways: '알림 수단',
    waysList: '알림 수단 목록',
    actions: '작업',
    waysAbout: '이 페이지 외에 알림을 보낼 곳입니다. 모든 알림을 보냅니다.',
    noWays: '알림을 콘솔에만 표시합니다',
    noWaysNext: '콘솔을 보고 있지 않은 사람도 알 수 있도록 알림 수단을 추가하세요.',
    add: '알림 수단 추가',
    name: '이름',
    nameAbout: '목록에 표시됩니다.',
    channel: '채널',
    channels: { webhook: '서명된 웹훅', mail: '메일', slack: 'Slack' },
    url: 'URL',
    urlAbout: {
      webhook: '이 서버나 사설 네트워크의 주소도 쓸 수 있습니다.',
      slack: '수신 웹훅(incoming webhook)의 URL입니다. Mattermost 등도 같은 방식입니다.',
    },
    host: '메일 서버',
    port: '포트',
    security: '암호화',
    securities: { tls: 'TLS', starttls: 'STARTTLS', none: '없음' },
    user: '계정',
    password: '비밀번호',
    from: '보내는 사람',
    to: '받는 사람',
    target: '받는 곳',
    secret: '서명 비밀 키',
    added: (name) => `${name}(으)로도 알림을 보냅니다.`,
    newWay: '새 알림 수단',
    test: '테스트 발송',
    testOf: (name) => `${name} 테스트 발송`,
    taken: (name) => `${name}에서 테스트를 받았습니다.`,
    notTaken: (name, error) => `${name}에서 테스트를 받지 않았습니다: ${error}`,
    remove: '삭제',
    removeOf: (name) => `${name} 삭제`,
    removeMeans: '이곳으로 더 이상 알림을 보내지 않습니다. 대기 중인 알림도 보내지 않습니다.',
    removed: (name) => `${name}을(를) 삭제했습니다.`,
  },
})
