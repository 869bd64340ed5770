/** Words of protection that several pages share: what rules are against, and whose codes they are. */

import type { Rule } from '../../../abuse/rules/rule'
import type { KeyKind } from '../../../domain/access/api-key'
import { inWords } from './words'

export const ruleWords = inWords({
  en: {
    number_type: 'Number that gets no texts',
    country_closed: 'Country not open',
    blocked: 'Blocked by an operator',
    cap: 'Over a cap',
    network_unverified: 'One network: too many untyped codes',
    network_pending: 'One network: too many codes at a time',
    network_countries: 'One network: too many countries',
    prefix_unverified: 'One prefix: too many untyped codes',
    prefix_pending: 'One prefix: too many codes at a time',
    country_paused: 'Country: paused',
    country_unverified: 'Country: too many untyped codes',
    country_pending: 'Country: too many codes at a time',
    resend: 'One phone: next code too soon',
    failures_paused: 'One phone: paused after wrong codes',
    failures_locked: 'One phone: locked after 100 wrong codes',
    failures_seldom: 'One phone: one code in three days',
    limit: 'Over a limit in a window of time',
    no_credit: 'Too little credit',
  } satisfies Record<Rule, string>,
  ko: {
    number_type: '문자를 받지 못하는 번호',
    country_closed: '열리지 않은 국가',
    blocked: '운영자가 차단',
    cap: '상한 초과',
    network_unverified: '한 네트워크: 미입력 코드가 너무 많음',
    network_pending: '한 네트워크: 동시 요청이 너무 많음',
    network_countries: '한 네트워크: 국가가 너무 많음',
    prefix_unverified: '한 번호대: 미입력 코드가 너무 많음',
    prefix_pending: '한 번호대: 동시 요청이 너무 많음',
    country_paused: '국가: 일시 중지',
    country_unverified: '국가: 미입력 코드가 너무 많음',
    country_pending: '국가: 동시 요청이 너무 많음',
    resend: '한 전화: 다음 코드 요청이 너무 빠름',
    failures_paused: '한 전화: 틀린 코드로 일시 중지',
    failures_locked: '한 전화: 틀린 코드 100번으로 잠김',
    failures_seldom: '한 전화: 사흘에 코드 하나',
    limit: '시간당 한도 초과',
    no_credit: '크레딧 부족',
  },
})

export const kindWords = inWords({
  en: { pk: 'Browser keys', sk: 'Secret keys' } satisfies Record<KeyKind, string>,
  ko: { pk: '브라우저 키', sk: '비밀 키' },
})

export const capWords = inWords({
  en: {
    per: { app: 'in all', country: 'to each country', prefix: 'to each prefix' },
    of: { messages: 'messages', credits: 'credits' },
    every: { hour: 'in an hour', day: 'in a day' },
    sentence: (kind: string, max: string, of: string, per: string, every: string) =>
      `${kind}: ${max} ${of} ${per} ${every}`,
    counted: (kind: string, of: string, per: string, every: string) => `${kind}: ${of} ${per} ${every}`,
  },
  ko: {
    per: { app: '앱 전체', country: '국가마다', prefix: '번호대마다' },
    of: { messages: '메시지', credits: '크레딧' },
    every: { hour: '한 시간', day: '하루' },
    sentence: (kind, max, of, per, every) => `${kind}: ${per} ${every}에 ${of} ${max}`,
    counted: (kind, of, per, every) => `${kind}: ${per} ${every}에 ${of}`,
  },
})
