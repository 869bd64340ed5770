/** A role, explained in a line each, and the apps that it is for. */
import { Badge, Group, MultiSelect, Radio, Stack, Text } from '@mantine/core'
import { ROLES, type Role } from '../../../../domain/access/operator'
import { roleWords } from '../../i18n/roles'
import { inWords, useWords } from '../../i18n/words'
import { useApps } from '../../scope'

const words = inWords({
  en: {
    apps: 'Apps',
    all: 'All apps',
    some: 'Some apps only',
    someAbout: 'Sees no other app, no carriers, operators or system.',
    owners: 'Owners see all apps.',
    which: 'Which apps',
    gone: 'a removed app',
  },
  ko: {
    apps: '앱',
    all: '모든 앱',
    some: '일부 앱만',
    someAbout: '다른 앱은 볼 수 없으며 발송사, 운영자, 시스템 페이지도 열 수 없습니다.',
    owners: '소유자는 항상 모든 앱을 볼 수 있습니다.',
    which: '볼 수 있는 앱',
    gone: '삭제된 앱',
  },
})

/** Fields of a form. Without `appIds` the role is for all apps. */
export interface ChosenRights {
  role: Role
  appIds: string[] | undefined
}

/** As the server takes them. */
export const rightsOf = ({ role, appIds }: ChosenRights) => ({ role, ...(role !== 'owner' && appIds && { appIds }) })

interface RightsChoiceProps {
  label: string
  rights: ChosenRights
  /** Problems of the apps. */
  error: React.ReactNode
  onChange(rights: ChosenRights): void
}

export function RightsChoice({ label, rights: { role, appIds }, error, onChange }: RightsChoiceProps) {
  const say = useWords(words)
  const roles = useWords(roleWords)
  const apps = useApps()
  return (
    <>
      <Radio.Group label={label} value={role} onChange={(chosen) => onChange({ role: chosen as Role, appIds })}>
        <Stack gap="sm" mt="xs">
          {ROLES.map((name) => (
            <Radio key={name} value={name} label={roles.names[name]} description={roles.about[name]} />
          ))}
        </Stack>
      </Radio.Group>
      {role === 'owner' ? (
        <Text size="sm" c="dimmed">
          {say.owners}
        </Text>
      ) : (
        <Radio.Group
          label={say.apps}
          value={appIds ? 'some' : 'all'}
          onChange={(chosen) => onChange({ role, appIds: chosen === 'some' ? [] : undefined })}
        >
          <Stack gap="sm" mt="xs">
            <Radio value="all" label={say.all} />
            <Radio value="some" label={say.some} description={say.someAbout} />
          </Stack>
        </Radio.Group>
      )}
      {role !== 'owner' && appIds && (
        <MultiSelect
          label={say.which}
          data={apps.map(({ appId, name }) => ({ value: appId, label: name }))}
          value={appIds}
          onChange={(chosen) => onChange({ role, appIds: chosen })}
          error={error}
          searchable
        />
      )}
    </>
  )
}

/** In a table. */
export function Rights({ of: { role, appIds } }: { of: { role: Role; appIds?: readonly string[] | undefined } }) {
  const say = useWords(words)
  const roles = useWords(roleWords)
  const names = new Map(useApps().map(({ appId, name }) => [appId, name]))
  return (
    <Group gap={6}>
      <Badge variant="light">{roles.names[role]}</Badge>
      {appIds && (
        <Text size="xs" c="dimmed">
          {appIds.map((appId) => names.get(appId) ?? say.gone).join(', ')}
        </Text>
      )}
    </Group>
  )
}
