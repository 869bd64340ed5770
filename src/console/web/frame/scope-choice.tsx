/** Which app is looked at, and whether live or test. */
import { Group, SegmentedControl, Select } from '@mantine/core'
import { frameWords } from '../i18n/frame'
import { useWords } from '../i18n/words'
import { type ShownMode, useApps, useScope } from '../scope'

/** Nobody should take one for the other. White text reads on both. */
const LIVE = '#087f5b'
const TEST = '#a83c0c'

export function ScopeChoice() {
  const say = useWords(frameWords)
  const apps = useApps()
  const { app, mode, choose } = useScope()
  return (
    <Group gap="xs" wrap="nowrap">
      <Select
        aria-label={say.app}
        placeholder={say.noApps}
        size="xs"
        w={{ base: 110, sm: 180, lg: 260 }}
        title={app?.name}
        styles={{ input: { textOverflow: 'ellipsis' } }}
        allowDeselect={false}
        disabled={apps.length === 0}
        searchable={apps.length > 10}
        comboboxProps={{ width: 240, position: 'bottom-end' }}
        value={app?.appId ?? null}
        data={apps.map(({ appId, name }) => ({ value: appId, label: name }))}
        onChange={(appId) => appId !== null && choose({ app: appId })}
      />
      <SegmentedControl
        aria-label={say.mode}
        size="xs"
        color={mode === 'live' ? LIVE : TEST}
        value={mode}
        data={[
          { value: 'test', label: say.test },
          { value: 'live', label: say.live },
        ]}
        onChange={(value) => choose({ mode: value as ShownMode })}
      />
    </Group>
  )
}
