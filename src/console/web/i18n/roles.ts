/** Names and descriptions of the roles. `domain/access/operator.ts` has the rules. */
import { may, type Permission, ROLES } from '../../../domain/access/operator'
import { inWords, useWords } from './words'

export const roleWords = inWords({
  en: {
    names: {
      owner: 'Owner',
      developer: 'Developer',
      operator: 'Operator',
      support: 'Support',
      finance: 'Finance',
      viewer: 'Viewer',
    },
    or: (roles: string[]) => [roles.slice(0, -1).join(', '), ...roles.slice(-1)].filter(Boolean).join(' or '),
    about: {
      owner: 'Full access, including credit, carriers, operators and the audit log.',
      developer: 'Manages keys, templates, webhooks and test codes. Finds codes by phone number. Changes no credit.',
      operator: 'Manages carriers, routes and protection. Finds codes by phone number and unlocks phones.',
      support: 'Finds codes by phone number, unlocks phones and sends webhook events again. Changes nothing else.',
      finance: 'Sets prices and exports usage. Looks up no phone.',
      viewer: 'Read-only access. Looks up no phone.',
    },
  },
  ko: {
    names: {
      owner: '소유자',
      developer: '개발자',
      operator: '운영 담당',
      support: '고객 지원',
      finance: '재무',
      viewer: '뷰어',
    },
    or: (roles) => [roles.slice(0, -1).join(', '), ...roles.slice(-1)].filter(Boolean).join(' 또는 '),
    about: {
      owner: '결제, 발송사, 운영자, 감사 기록을 포함한 모든 작업을 할 수 있습니다.',
      developer: '키, 템플릿, 웹훅, 테스트 코드를 다루고 전화번호로 인증번호를 찾습니다. 크레딧은 변경할 수 없습니다.',
      operator: '발송사, 경로, 보호 설정을 관리합니다. 전화번호로 인증번호를 찾고 잠금을 해제합니다.',
      support:
        '전화번호로 인증번호를 찾고, 잠금을 해제하고, 웹훅 이벤트를 다시 보냅니다. 다른 것은 변경할 수 없습니다.',
      finance: '요금을 설정하고 사용량을 내보냅니다. 전화번호는 조회할 수 없습니다.',
      viewer: '모든 화면을 볼 수 있지만 변경할 수 없습니다. 전화번호는 조회할 수 없습니다.',
    },
  },
})

/** Names of the roles that have a permission: “Owner or Developer”. */
export function useWhoMay(): (permission: Permission) => string {
  const { names, or } = useWords(roleWords)
  return (permission) => or(ROLES.filter((role) => may(role, permission)).map((role) => names[role]))
}
