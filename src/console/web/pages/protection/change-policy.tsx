/** The dialog that changes one rule of an app. It says what the change touches and how to undo it. */
import { Alert, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { IconAlertTriangle } from '@tabler/icons-react'
import { api, client, queries } from '../../api'
import { useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import { type ShownApp, useDefaultRegion } from '../../scope'
import { codesOf, keysOf, useCounts, useLately } from './ask'
import { type PolicySubject, type ProtectionChange, ProtectionFields } from './policy-fields'
import { protectionWords } from './words'

export function openPolicy(app: ShownApp, subject: PolicySubject, title: string): void {
  const modalId = modals.open({
    title,
    size: 'lg',
    children: <ChangePolicy app={app} subject={subject} onClose={() => modals.close(modalId)} />,
  })
}

interface ChangePolicyProps {
  app: ShownApp
  subject: PolicySubject
  onClose(): void
}

function ChangePolicy({ app, subject, onClose }: ChangePolicyProps) {
  const say = useWords(protectionWords)
  const { appId } = app
  const form = useServerForm({
    // Sends changed fields only, so that concurrent changes of others are kept.
    initialValues: { protection: {} as ProtectionChange },
    otherParams: ['caps', 'networks'],
    send: ({ protection }) => client.apps.protect({ appId, protection }),
    onDone() {
      tellDone(say.policySaved)
      onClose()
    },
    onSettled: () => queries.invalidateQueries({ queryKey: api.apps.key() }),
  })
  const { protection } = form.values
  return (
    <Form form={form} action={say.save} onCancel={onClose}>
      <ProtectionFields
        subject={subject}
        known={app.protection}
        decided={protection}
        errors={form.errors}
        onChange={(protection) => form.set({ protection })}
      />
      {Object.keys(protection).length > 0 && <Touched app={app} protection={protection} />}
    </Form>
  )
}

const KINDS = ['pk', 'sk', 'relay'] as const

/** Keys and codes that the change concerns now; of countries, the codes of the last hour that it would have refused. */
function Touched({ app, protection: change }: { app: ShownApp; protection: ProtectionChange }) {
  const say = useWords(protectionWords)
  const counts = useCounts()
  const home = useDefaultRegion()
  const { data: lately } = useLately(app.appId)
  if (!lately) return null
  const { countries, open, secretTo, closed } = { ...app.protection, ...change }
  const isClosed = (kind: string, country: string) => {
    if (closed.includes(country)) return true
    if (kind === 'pk') return countries === 'block' && ![app.region ?? home, ...open].includes(country)
    return kind === 'sk' && secretTo.length > 0 && !secretTo.includes(country)
  }
  const lost = KINDS.reduce((sum, kind) => sum + codesOf(lately, [kind], (one) => isClosed(kind, one), ['sent']), 0)
  const keys = counts.keys(keysOf(lately, KINDS))
  const codes = counts.codes(
    codesOf(lately, KINDS, () => true, ['sent', 'refused']),
    lately,
  )
  return (
    <Alert
      color={lost > 0 ? 'red' : 'gray'}
      {...(lost > 0 && { icon: <IconAlertTriangle aria-hidden /> })}
      role="status"
    >
      <Text size="sm">
        {[say.touches(keys, codes), ...(lost > 0 ? [say.lost(counts.codes(lost, lately))] : []), say.undoHere].join(
          ' ',
        )}
      </Text>
    </Alert>
  )
}
