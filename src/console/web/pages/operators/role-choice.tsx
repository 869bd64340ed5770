import { Radio, Stack } from '@mantine/core'
import { ROLES, type Role } from '../../../../domain/access/role'
import { roleWords } from '../../i18n/roles'
import { useWords } from '../../i18n/words'

export interface RoleChoiceProps {
  label: string
  value: Role
  onChange(role: Role): void
}

export function RoleChoice({ label, value, onChange }: RoleChoiceProps) {
  const say = useWords(roleWords)
  return (
    <Radio.Group label={label} value={value} onChange={(chosen) => onChange(chosen as Role)}>
      <Stack gap="sm" mt="xs">
        {ROLES.map((name) => (
          <Radio key={name} value={name} label={say.names[name]} description={say.about[name]} />
        ))}
      </Stack>
    </Radio.Group>
  )
}
