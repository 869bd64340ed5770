/** What each scope opens, in words. */
import type { Scope } from '../../../../../contract/scope'
import { inWords } from '../../i18n/words'

export const scopeWords = inWords({
  en: {
    '*': 'Everything',
    'otp:issue': 'Issue codes',
    'otp:verify': 'Verify codes',
    'otp:status': 'Read where one issue stands',
    'otp:dashboard:read': 'List issues, and read the ledger',
    'otp:ledger:read': 'Read the ledger',
    'otp:balance': 'Read the balance',
    'otp:templates': 'Read templates',
    'otp:read': 'Verify, and read all but the balance',
    'otp:send': 'Issue codes, by its older name',
  } satisfies Record<Scope, string>,
  ko: {
    '*': '모든 권한',
    'otp:issue': '인증번호 발급',
    'otp:verify': '인증번호 확인',
    'otp:status': '발급 건의 상태 조회',
    'otp:dashboard:read': '발급 내역과 원장 조회',
    'otp:ledger:read': '원장 조회',
    'otp:balance': '잔액 조회',
    'otp:templates': '템플릿 조회',
    'otp:read': '인증번호 확인과 잔액을 뺀 모든 조회',
    'otp:send': '인증번호 발급(예전 이름)',
  },
})
