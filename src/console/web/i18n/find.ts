/** Words of the one search, and the settings that it knows by name. */
import { inWords } from './words'

export const findWords = inWords({
  en: {
    open: 'Find',
    label: 'Find',
    hint: 'Phone number, id, key, app or page',
    about:
      'A phone number as people write it, the id of an issue or of a carrier’s message, a value of the metadata, a key, an app, a page or a setting. A look-up by phone is recorded in the audit log, without the number.',
    noPhone: {
      hint: 'Id, key, app or page',
      about: (roles: string) =>
        `The id of an issue or of a carrier’s message, a key, an app, a page or a setting. Finding by phone number needs the role ${roles}.`,
    },
    ask: (text: string) => `Find “${text}” in issues and keys`,
    nothing: 'Nothing found',
    nothingNext:
      'A phone number finds the live issues that are still stored. Metadata and carriers’ ids are looked for in the newest issues.',
    found: (count: number) => (count === 1 ? 'One found' : `${count} found`),
    groups: { issues: 'Issues', keys: 'API keys', apps: 'Apps', pages: 'Pages', settings: 'Settings' },
    settings: {
      region: 'Region of an app',
      retention: 'Retention of live issues',
      caps: 'Abuse protection of an app',
      reviewNumbers: 'Review numbers',
      routes: 'Routes',
      plans: 'Delivery plans',
      alert: 'Low-credit alert',
      overdraft: 'Overdraft',
      invitations: 'Invitations',
      erase: 'Erase a phone number',
      backups: 'Backups',
      password: 'Password',
      secondFactor: 'Authenticator app',
      sessions: 'Sessions',
      timeZone: 'Time zone',
    },
  },
  ko: {
    open: '찾기',
    label: '찾기',
    hint: '전화번호, ID, 키, 앱, 페이지',
    about:
      '평소에 쓰는 형식의 전화번호, 발급 ID, 발송사의 메시지 ID, 메타데이터 값, 키, 앱, 페이지, 설정을 찾습니다. 전화번호로 찾으면 번호 없이 감사 기록에 남습니다.',
    noPhone: {
      hint: 'ID, 키, 앱, 페이지',
      about: (roles) =>
        `발급 ID, 발송사의 메시지 ID, 메타데이터 값, 키, 앱, 페이지, 설정을 찾습니다. 전화번호로 찾으려면 ${roles} 역할이 필요합니다.`,
    },
    ask: (text) => `발급 내역과 키에서 “${text}” 찾기`,
    nothing: '찾은 것이 없습니다',
    nothingNext:
      '전화번호로는 아직 보관 중인 운영 발급 내역을 찾습니다. 메타데이터와 발송사 ID는 최근 발급 내역에서 찾습니다.',
    found: (count) => `${count}건을 찾았습니다`,
    groups: { issues: '발급 내역', keys: 'API 키', apps: '앱', pages: '페이지', settings: '설정' },
    settings: {
      region: '앱의 지역',
      retention: '운영 발급 내역 보관 기간',
      caps: '앱의 남용 방지',
      reviewNumbers: '심사용 번호',
      routes: '경로',
      plans: '발송 순서',
      alert: '잔액 부족 알림',
      overdraft: '초과 사용 한도',
      invitations: '초대',
      erase: '전화번호 데이터 삭제',
      backups: '백업',
      password: '비밀번호',
      secondFactor: '인증 앱',
      sessions: '세션',
      timeZone: '시간대',
    },
  },
})
