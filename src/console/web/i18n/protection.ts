/** Words about protection that several pages share: rules, kinds of keys and caps. */
import type { Rule } from '../../../abuse/rules/rule'
import type { CallerKind } from '../../../domain/access/caller'
import { inWords } from './words'

export const ruleWords = inWords({
  en: {
    number_type: 'Number type without SMS',
    country_closed: 'Country not on the allow list',
    blocked: 'Blocked by an operator',
    cap: 'Over a cap',
    network_unverified: 'Network: conversion too low',
    prefix_unverified: 'Prefix: conversion too low',
    country_unverified: 'Country: conversion too low',
    resend: 'Phone: resent too soon',
    failures_paused: 'Phone: paused after wrong codes',
    failures_locked: 'Phone: locked after 100 wrong codes',
    failures_seldom: 'Phone: one code in three days',
    limit: 'Rate limit exceeded',
    no_credit: 'Insufficient credit',
  } satisfies Record<Rule, string>,
  ko: {
    number_type: '문자를 받지 못하는 번호',
    country_closed: '허용 목록에 없는 국가',
    blocked: '운영자가 차단',
    cap: '상한 초과',
    network_unverified: '네트워크: 전환율이 너무 낮음',
    prefix_unverified: '번호대: 전환율이 너무 낮음',
    country_unverified: '국가: 전환율이 너무 낮음',
    resend: '전화: 재발송 간격이 너무 짧음',
    failures_paused: '전화: 틀린 인증번호로 일시 중지',
    failures_locked: '전화: 틀린 인증번호 100번으로 잠김',
    failures_seldom: '전화: 사흘에 인증번호 하나',
    limit: '요청 한도 초과',
    no_credit: '크레딧 부족',
  },
})

export const kindWords = inWords({
  en: { pk: 'Browser keys', sk: 'Secret keys', relay: 'Relays' } satisfies Record<CallerKind, string>,
  ko: { pk: '브라우저 키', sk: '비밀 키', relay: '릴레이' },
})

export const capWords = inWords({
  en: {
    per: { app: 'per app', country: 'per country', prefix: 'per prefix' },
    of: { messages: 'messages', credits: 'credits' },
    every: { hour: 'per hour', day: 'per day' },
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
