/** Form that adds a way. */
import { Group, NativeSelect, NumberInput, PasswordInput, TextInput } from '@mantine/core'
import { MAIL_SECURITY, NOTICE_CHANNELS, type NoticeChannel } from '../../../../domain/operations/notice'
import { api, client, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import { noticeWords } from './words'

export type AddedWay = Awaited<ReturnType<typeof client.notices.addWay>>

const AS_TYPED = { autoComplete: 'off', spellCheck: false } as const

export function AddWay({ onAdded, onCancel }: { onAdded(way: AddedWay): void; onCancel(): void }) {
  const say = useWords(noticeWords)
  const form = useServerForm({
    initialValues: {
      name: '',
      channel: 'mail' as NoticeChannel,
      url: '',
      host: '',
      port: '' as number | '',
      security: 'tls' as (typeof MAIL_SECURITY)[number],
      user: '',
      password: '',
      from: '',
      to: '',
    },
    send({ name, channel, url, host, port, security, user, password, from, to }) {
      if (channel !== 'mail') return client.notices.addWay({ name, channel, url: url.trim() })
      return client.notices.addWay({
        ...{ name, channel, host: host.trim(), security, from: from.trim(), to: to.trim() },
        ...(port !== '' && { port: Number(port) }),
        ...(user.trim() !== '' && { user: user.trim(), password }),
      })
    },
    async onDone(added) {
      await queries.invalidateQueries({ queryKey: api.notices.key() })
      tellDone(say.added(added.name))
      onAdded(added)
    },
  })
  const { channel } = form.values
  return (
    <Form form={form} action={say.add} onCancel={onCancel}>
      <TextInput
        data-autofocus
        label={say.name}
        description={say.nameAbout}
        placeholder="duty"
        required
        {...AS_TYPED}
        {...form.field('name')}
      />
      <NativeSelect
        label={say.channel}
        data={NOTICE_CHANNELS.map((value) => ({ value, label: say.channels[value] }))}
        {...form.field('channel')}
      />
      {channel === 'mail' ? (
        <>
          <TextInput label={say.host} placeholder="smtp.example.com" required {...AS_TYPED} {...form.field('host')} />
          <Group grow align="flex-start">
            <NativeSelect
              label={say.security}
              data={MAIL_SECURITY.map((value) => ({ value, label: say.securities[value] }))}
              {...form.field('security')}
            />
            <NumberInput
              label={say.port}
              placeholder={PORTS[form.values.security]}
              min={1}
              max={65_535}
              hideControls
              {...form.field('port')}
            />
          </Group>
          <Group grow align="flex-start">
            <TextInput label={say.user} {...AS_TYPED} {...form.field('user')} />
            <PasswordInput label={say.password} autoComplete="new-password" {...form.field('password')} />
          </Group>
          <TextInput label={say.from} type="email" required {...AS_TYPED} {...form.field('from')} />
          <TextInput label={say.to} type="email" required {...AS_TYPED} {...form.field('to')} />
        </>
      ) : (
        <TextInput
          label={say.url}
          description={say.urlAbout[channel]}
          placeholder="https://"
          required
          {...AS_TYPED}
          {...form.field('url')}
        />
      )}
    </Form>
  )
}

/** It counts if the field is left empty. */
const PORTS = { tls: '465', starttls: '587', none: '25' } as const
