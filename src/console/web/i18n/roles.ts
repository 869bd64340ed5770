/** Names and descriptions of the roles. `domain/access/operator.ts` has the rules. */
import { may, type Permission, ROLES } from '../../../domain/access/operator'
import { inWords, useWords } from './words'

export const roleWords = inWords({
  en: {
    names: { owner: 'Owner', developer: 'Developer', viewer: 'Viewer' },
    or: (roles: string[]) => roles.join(' or '),
    about: {
      owner: 'Full access, including credit, carriers, operators and the audit log.',
      developer: 'Manages keys, templates, webhooks and test codes, but neither credit nor operators.',
      viewer: 'Read-only access.',
    },
  },
  ko: {
    names: { owner: '소유자', developer: '개발자', viewer: '뷰어' },
    or: (roles) => roles.join(' 또는 '),
    about: {
      owner: '결제, 발송사, 운영자, 감사 기록을 포함한 모든 작업을 할 수 있습니다.',
      developer: '키, 템플릿, 웹훅, 테스트 코드를 다룹니다. 크레딧과 운영자는 관리할 수 없습니다.',
      viewer: '모든 화면을 볼 수 있지만 변경할 수 없습니다.',
    },
  },
})

/** Names of the roles that have a permission: “Owner or Developer”. */
export function useWhoMay(): (permission: Permission) => string {
  const { names, or } = useWords(roleWords)
  return (permission) => or(ROLES.filter((role) => may(role, permission)).map((role) => names[role]))
}
