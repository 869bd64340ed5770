/** Texts for the actions of the audit log. An unknown action is shown by its name. */
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api'
import { inWords, useWords } from '../../i18n/words'

export const actionWords = inWords({
  en: {
    'app.block': 'Blocked a country or prefix for a while',
    'app.challenge': 'Set the challenge of an app',
    'app.challenge_remove': 'Removed the challenge of an app',
    'app.create': 'Created an app',
    'app.region': 'Set the region of an app',
    'app.retention': 'Set the retention of an app',
    'app.twilio': 'Let clients of Twilio Verify name a purpose',
    'app.proofs': 'Changed the verification proofs of an app',
    'app.protect': 'Changed the abuse protection of an app',
    'app.texts': 'Changed the text messages of an app',
    'app.trust': 'Added a phone to the allow list',
    'app.unblock': 'Lifted a block',
    'app.unlock': 'Unlocked a phone',
    'app.remove': 'Removed an app',
    'app.rename': 'Renamed an app',
    'audit.accept': 'Accepted the audit log as it is',
    'credit.alert': 'Set the low-credit alert',
    'credit.clawback': 'Clawed back credit',
    'credit.credit': 'Topped up',
    'credit.overdraft': 'Set the overdraft',
    'credit.refund': 'Refunded an issue',
    'credit.refund_incident': 'Refunded an incident',
    'database.restore': 'Restored a backup',
    'incident.end': 'Ended an incident',
    'issue.search_phone': 'Searched issues by phone number',
    'key.allow': 'Changed the rights of a key',
    'key.create': 'Created a key',
    'key.revoke': 'Revoked a key',
    'key.rotate': 'Rotated a key',
    'node.forget': 'Forgot a silent server',
    'operator.invite': 'Invited an operator',
    'operator.join': 'Joined as an operator',
    'operator.password': 'Changed a password',
    'operator.remove': 'Removed an operator',
    'operator.reset': 'Reset a password',
    'operator.role': 'Changed a role',
    'operator.totp_off': 'Removed the authenticator app',
    'operator.totp_on': 'Set up an authenticator app',
    'operator.unlock': 'Lifted a sign-in lockout',
    'operator.withdraw': 'Withdrew an invitation',
    'plan.remove': 'Removed a delivery plan',
    'plan.set': 'Set a delivery plan',
    'privacy.erase': 'Started to erase a phone',
    'privacy.erased': 'Erased a phone',
    'privacy.export': 'Exported what is stored of a phone',
    'provider.pause': 'Paused a carrier',
    'provider.remove': 'Removed a carrier',
    'provider.resume': 'Resumed a carrier',
    'provider.set': 'Set up a carrier',
    'price.remove': 'Removed a price',
    'price.set': 'Set a price',
    'relay.add': 'Added a relay',
    'relay.remove': 'Removed a relay',
    'relay.secret': 'Changed the secret of a relay',
    'report_token.create': 'Created a report token',
    'report_token.revoke': 'Revoked a report token',
    'token.create': 'Created a token of the management API',
    'token.revoke': 'Revoked a token of the management API',
    'review.add': 'Added a review number',
    'review.remove': 'Removed a review number',
    'route.remove': 'Removed a route',
    'route.set': 'Set a route',
    'session.end': 'Ended a session',
    'session.end_all': 'Signed out everywhere',
    'session.open': 'Signed in',
    'session.pause': 'Failed to sign in repeatedly',
    'template.remove': 'Removed a template',
    'template.save': 'Saved a template',
    'webhook.add': 'Added a webhook',
    'webhook.remove': 'Removed a webhook',
    'webhook.replay': 'Replayed webhook events',
    'webhook.rotate': 'Rotated a webhook secret',
    'webhook.update': 'Changed a webhook',
  },
  ko: {
    'app.block': '국가 또는 번호대 일시 차단',
    'app.challenge': '앱의 사람 확인(챌린지) 설정',
    'app.challenge_remove': '앱의 사람 확인(챌린지) 해제',
    'app.create': '앱 생성',
    'app.region': '앱 지역 설정',
    'app.retention': '앱의 발급 내역 보관 기간 설정',
    'app.twilio': 'Twilio Verify 클라이언트용 용도 추가',
    'app.proofs': '앱의 인증 증명 설정',
    'app.protect': '앱의 남용 방지 설정',
    'app.texts': '앱의 문자 메시지 설정',
    'app.trust': '허용 목록에 전화 추가',
    'app.unblock': '차단 해제',
    'app.unlock': '전화 잠금 해제',
    'app.remove': '앱 삭제',
    'app.rename': '앱 이름 변경',
    'audit.accept': '감사 기록을 현재 상태로 수용',
    'credit.alert': '크레딧 부족 알림 설정',
    'credit.clawback': '크레딧 회수',
    'credit.credit': '크레딧 충전',
    'credit.overdraft': '초과 사용 한도 설정',
    'credit.refund': '발급 건 환불',
    'credit.refund_incident': '사고 일괄 환불',
    'database.restore': '백업 복원',
    'incident.end': '사고 종료',
    'issue.search_phone': '전화번호로 발급 내역 검색',
    'key.allow': '키 권한 변경',
    'key.create': '키 생성',
    'key.revoke': '키 폐기',
    'key.rotate': '키 교체',
    'node.forget': '응답 없는 서버 삭제',
    'operator.invite': '운영자 초대',
    'operator.join': '운영자 가입',
    'operator.password': '비밀번호 변경',
    'operator.remove': '운영자 삭제',
    'operator.reset': '비밀번호 초기화',
    'operator.role': '역할 변경',
    'operator.totp_off': '인증 앱 해제',
    'operator.totp_on': '인증 앱 설정',
    'operator.unlock': '로그인 제한 해제',
    'operator.withdraw': '초대 취소',
    'plan.remove': '발송 순서 삭제',
    'plan.set': '발송 순서 설정',
    'privacy.erase': '전화번호 데이터 삭제 시작',
    'privacy.erased': '전화번호 데이터 삭제 완료',
    'privacy.export': '전화번호 데이터 내보내기',
    'provider.pause': '발송사 일시 중지',
    'provider.remove': '발송사 삭제',
    'provider.resume': '발송사 재개',
    'provider.set': '발송사 설정',
    'price.remove': '가격 삭제',
    'price.set': '가격 설정',
    'relay.add': '릴레이 추가',
    'relay.remove': '릴레이 삭제',
    'relay.secret': '릴레이 비밀 값 변경',
    'report_token.create': '보고서 토큰 생성',
    'report_token.revoke': '보고서 토큰 폐기',
    'token.create': '관리 API 토큰 생성',
    'token.revoke': '관리 API 토큰 폐기',
    'review.add': '심사용 번호 추가',
    'review.remove': '심사용 번호 삭제',
    'route.remove': '경로 삭제',
    'route.set': '경로 설정',
    'session.end': '세션 종료',
    'session.end_all': '모든 기기에서 로그아웃',
    'session.open': '로그인',
    'session.pause': '로그인 반복 실패',
    'template.remove': '템플릿 삭제',
    'template.save': '템플릿 저장',
    'webhook.add': '웹훅 추가',
    'webhook.remove': '웹훅 삭제',
    'webhook.replay': '웹훅 이벤트 재전송',
    'webhook.rotate': '웹훅 시크릿 교체',
    'webhook.update': '웹훅 변경',
  },
})

const CLI = 'cli'
/** Actor of requests without a session. */
const NOBODY = 'nobody'

const words = inWords({
  en: { cli: 'Command line', nobody: 'Unknown' },
  ko: { cli: '명령줄', nobody: '알 수 없는 사람' },
})

export interface Actors {
  nameOf(actor: string): string
  /** Options of the filter. */
  options: { value: string; label: string }[]
}

/** `chosen` may be a removed operator. */
export function useActors(chosen: string | undefined): Actors {
  const say = useWords(words)
  const operators = useQuery(api.operators.list.queryOptions()).data?.operators ?? []
  const names = new Map([
    [CLI, say.cli],
    [NOBODY, say.nobody],
    ...operators.map(({ operatorId, name }) => [operatorId, name] as const),
  ])
  const nameOf = (actor: string) => names.get(actor) ?? actor
  const actors = new Set([...names.keys(), ...(chosen === undefined ? [] : [chosen])])
  return { nameOf, options: [...actors].map((actor) => ({ value: actor, label: nameOf(actor) })) }
}

export interface AuditRow {
  seq: number
  /** Unix milliseconds. */
  at: number
  actor: string
  action: string
  target: string
  detail: Record<string, unknown>
  ip?: string | undefined
  hash: string
}

/** Filters of the audit log. */
export interface AuditFilters {
  actor?: string
  action?: string
}
