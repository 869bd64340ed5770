/** Extra rights of a live browser key: chosen at creation and flagged afterwards. */
import { Checkbox, Stack } from '@mantine/core'
import type { Allowance } from '../../../../domain/access/api-key'
import { inWords, useWords } from '../../i18n/words'

export const allowanceWords = inWords({
  en: {
    label: 'May also …',
    about:
      'Anybody can read a browser key in the page. So a live one may not set the sender, and fills template variables without a pattern with at most 40 letters, digits and simple punctuation: no link, no phone number. Check only what your pages need. Test keys send nothing and are not restricted.',
    what: {
      from: {
        label: 'Set the sender',
        may: 'May set the sender',
        risk: 'Whoever finds the key can send from every name or number that your carrier lets you use.',
      },
      text: {
        label: 'Write any text',
        may: 'May write any text',
        risk: 'Whoever finds the key can put texts of their own, with links and phone numbers, into template variables that have no pattern.',
      },
    } satisfies Record<Allowance, object>,
  },
  ko: {
    label: '추가로 허용할 작업',
    about:
      '브라우저 키는 페이지에서 누구나 읽을 수 있습니다. 그래서 운영용 브라우저 키는 발신자를 정할 수 없고, 패턴이 없는 템플릿 변수에는 글자, 숫자, 간단한 문장 부호를 최대 40자까지만 넣을 수 있으며 링크와 전화번호는 넣을 수 없습니다. 페이지에 꼭 필요한 것만 선택하세요. 테스트 키는 실제로 발송하지 않으므로 이런 제한이 없습니다.',
    what: {
      from: {
        label: '발신자 지정',
        may: '발신자 지정 가능',
        risk: '키를 알아낸 사람이 발송사가 허용하는 모든 이름과 번호로 메시지를 보낼 수 있습니다.',
      },
      text: {
        label: '임의의 문구 입력',
        may: '임의의 문구 입력 가능',
        risk: '키를 알아낸 사람이 패턴이 없는 템플릿 변수에 링크를 포함해 원하는 문구를 넣을 수 있습니다.',
      },
    },
  },
})

const ALLOWANCES = Object.keys(allowanceWords.en.what) as Allowance[]

interface AllowancesFieldProps {
  value: Allowance[]
  onChange(value: Allowance[]): void
}

export function AllowancesField({ value, onChange }: AllowancesFieldProps) {
  const say = useWords(allowanceWords)
  return (
    <Checkbox.Group
      label={say.label}
      description={say.about}
      value={value}
      onChange={(chosen) => onChange(chosen as Allowance[])}
    >
      <Stack gap="xs" mt="xs">
        {ALLOWANCES.map((allowance) => (
          <Checkbox
            key={allowance}
            value={allowance}
            label={say.what[allowance].label}
            description={say.what[allowance].risk}
          />
        ))}
      </Stack>
    </Checkbox.Group>
  )
}
