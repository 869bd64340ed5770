/** Scenarios of the magic numbers. Specification: "Test-mode behavior". */
import { inWords, useWords } from './words'

const words = inWords({
  en: {
    s0: { name: 'Success', about: 'Sent after 1 second, delivered after 2; the code verifies.' },
    s1: { name: 'Delivery fails', about: 'Sent after 1 second, failed after 3; the code would still verify.' },
    s2: { name: 'Slow delivery', about: 'Stays in flight for 30 seconds, then is delivered; the code verifies.' },
    s3: {
      name: 'Unknown result',
      about: 'The carrier never says whether it accepted the message, so it is not sent again; the code verifies.',
    },
    s4: { name: 'Expires soon', about: 'Delivered, but the code expires after 10 seconds.' },
    s5: { name: 'Wrong code', about: 'Delivered, but every code is wrong, until no attempts remain.' },
    s6: { name: 'Rate limited', about: 'Refused: too many codes for this number. 429, try again after 60 seconds.' },
    s7: { name: 'Insufficient credit', about: 'Refused: the wallet is empty. 402.' },
    s8: { name: 'Trial limit', about: 'Refused: the daily limit of a trial is used up. 402.' },
    s9: { name: 'Service unavailable', about: 'Refused: the service is unavailable. 503, try again after 2 seconds.' },
    s10: { name: 'AlimTalk falls back', about: 'AlimTalk fails, and the SMS is delivered after 4 seconds.' },
  },
  ko: {
    s0: { name: '성공', about: '1초 뒤 발송, 2초 뒤 도달합니다. 인증번호로 인증됩니다.' },
    s1: { name: '도달 실패', about: '1초 뒤 발송, 3초 뒤 실패합니다. 인증번호는 여전히 유효합니다.' },
    s2: { name: '느린 도달', about: '30초 동안 발송 중이다가 도달합니다. 인증번호로 인증됩니다.' },
    s3: {
      name: '결과 불명',
      about: '발송사가 접수 여부를 알려 주지 않아 다시 보내지 않습니다. 인증번호로 인증됩니다.',
    },
    s4: { name: '빠른 만료', about: '도달하지만 인증번호가 10초 뒤 만료됩니다.' },
    s5: { name: '틀린 인증번호', about: '도달하지만 어떤 번호를 입력해도 틀립니다. 시도 횟수가 모두 소진됩니다.' },
    s6: { name: '요청 한도 초과', about: '거부됩니다. 이 번호로 요청이 너무 많습니다. 429, 60초 뒤 다시 시도합니다.' },
    s7: { name: '크레딧 부족', about: '거부됩니다. 지갑에 크레딧이 부족합니다. 402.' },
    s8: { name: '체험 한도 초과', about: '거부됩니다. 체험 일일 한도를 모두 썼습니다. 402.' },
    s9: { name: '서비스 이용 불가', about: '거부됩니다. 지금은 처리할 수 없습니다. 503, 2초 뒤 다시 시도합니다.' },
    s10: { name: '알림톡 대체 발송', about: '알림톡이 실패하고 4초 뒤 SMS로 도달합니다.' },
  },
})

/** The distinct scenarios; all further numbers behave like the first. */
export const SCENARIOS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const

export const magicNumber = (scenario: number) => `010-0000-00${String(scenario).padStart(2, '0')}`

export function useScenarios(): (scenario: number) => { name: string; about: string } {
  const say = useWords(words)
  return (scenario) => say[`s${scenario}` as keyof typeof say] ?? say.s0
}
