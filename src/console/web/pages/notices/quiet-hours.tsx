/** Hours of the day in which notices wait. */
import { Button, Checkbox, Group, Select, Stack, Switch, TextInput } from '@mantine/core'
import { useMemo } from 'react'
import { clockText } from '../../../../domain/shared/time-zone'
import { api, client, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { useWords } from '../../i18n/words'
import { useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'
import { Section } from '../../parts/section'
import { tellDone } from '../../parts/tell'
import { useTimeZone } from '../../time-zone'
import { noticeWords, type ShownQuietHours } from './words'

const minuteOf = (time: string) => {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

/** The rest is found by typing. */
const ZONES_AT_MOST = 50

export function QuietHours({ of }: { of: ShownQuietHours | undefined }) {
  const say = useWords(noticeWords)
  const common = useWords(frameWords)
  const zone = useTimeZone()
  const zones = useMemo(() => [...new Set(['UTC', zone, ...Intl.supportedValuesOf('timeZone')])], [zone])
  const { from = 22 * 60, to = 8 * 60, timeZone = zone, urgentPass = true } = of ?? {}
  const form = useServerForm({
    initialValues: { isOn: of !== undefined, from: clockText(from), to: clockText(to), timeZone, urgentPass },
    send: ({ isOn, from, to, ...rest }) =>
      client.notices.setQuietHours(isOn ? { quietHours: { from: minuteOf(from), to: minuteOf(to), ...rest } } : {}),
    async onDone() {
      await queries.invalidateQueries({ queryKey: api.notices.key() })
      tellDone(say.saved)
    },
  })
  return (
    <Section title={say.quiet} about={say.quietAbout}>
      <form onSubmit={form.submit}>
        <Stack align="flex-start">
          <Switch label={say.quietOn} {...form.checkbox('isOn')} />
          {form.values.isOn && (
            <>
              <Group align="flex-start">
                <TextInput type="time" label={say.begins} required {...form.field('from')} />
                <TextInput type="time" label={say.ends} required {...form.field('to')} />
                <Select
                  label={common.timeZone}
                  searchable
                  limit={ZONES_AT_MOST}
                  allowDeselect={false}
                  data={zones}
                  {...form.field('timeZone')}
                />
              </Group>
              <Checkbox label={say.urgentPass} {...form.checkbox('urgentPass')} />
            </>
          )}
          {form.failure && <ProblemNote failure={form.failure} />}
          <Button type="submit" variant="default" loading={form.isPending}>
            {say.save}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
