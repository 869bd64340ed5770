/** What can be done with an endpoint. */
import { Button, Menu } from '@mantine/core'
import { IconChevronDown, IconPencil, IconSend } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { confirmByName } from '../../parts/confirm-by-name'
import { tellDone, tellProblem } from '../../parts/tell'
import { useMay } from '../../session'
import type { ShownEndpoint } from './endpoint-state'
import { openRotate } from './rotate'
import { EVENT_TYPES, webhookWords } from './words'

const words = inWords({ en: { more: 'More' }, ko: { more: '더 보기' } })

export function EndpointActions({ endpoint }: { endpoint: ShownEndpoint }) {
  const say = useWords(webhookWords)
  const { more } = useWords(words)
  const may = useMay()
  const navigate = useNavigate()
  const { endpointId, url, enabled } = endpoint
  const lookAgain = () => queries.invalidateQueries({ queryKey: api.webhooks.key() })
  const test = useMutation(
    api.webhooks.test.mutationOptions({
      onSuccess(_, { type }) {
        tellDone(say.testSent(type))
        return lookAgain()
      },
      onError: tellProblem,
    }),
  )
  const update = useMutation(
    api.webhooks.update.mutationOptions({
      onSuccess(changed) {
        tellDone(changed.enabled ? say.enabled : say.disabled)
        return lookAgain()
      },
      onError: tellProblem,
    }),
  )
  const remove = () =>
    confirmByName({
      title: say.remove,
      name: new URL(url).host,
      consequence: say.removeMeans,
      action: say.remove,
      async run() {
        await client.webhooks.remove({ endpointId })
        tellDone(say.removed)
        await navigate({ to: '/webhooks' })
        await lookAgain()
      },
    })
  if (!may('webhooks')) return null
  return (
    <>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button
            variant="default"
            disabled={!enabled}
            loading={test.isPending}
            leftSection={<IconSend size={16} aria-hidden />}
            rightSection={<IconChevronDown size={14} aria-hidden />}
          >
            {say.test}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {EVENT_TYPES.map((type) => (
            <Menu.Item key={type} onClick={() => test.mutate({ endpointId, type })}>
              {type}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button
        renderRoot={(props) => <Link to="/webhooks/edit" search={{ endpoint: endpointId }} {...props} />}
        variant="default"
        leftSection={<IconPencil size={16} aria-hidden />}
      >
        {say.edit}
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} aria-hidden />}>
            {more}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => update.mutate({ endpointId, enabled: !enabled })}>
            {enabled ? say.disable : say.enable}
          </Menu.Item>
          <Menu.Item onClick={() => openRotate(endpointId)}>{say.rotate}</Menu.Item>
          <Menu.Divider />
          <Menu.Item c="red" onClick={remove}>
            {say.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  )
}
