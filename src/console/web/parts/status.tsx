/** Badges for the states of an issue. */
import { Badge, type BadgeProps } from '@mantine/core'
import { statusWords } from '../i18n/names'
import { useWords } from '../i18n/words'

export type ShownVerificationStatus = keyof (typeof statusWords)['en']['verification']
export type ShownDeliveryStatus = keyof (typeof statusWords)['en']['delivery']

const VERIFICATION: Record<ShownVerificationStatus, string> = {
  issued: 'blue',
  verified: 'green',
  expired: 'gray',
  max_attempts: 'red',
  replaced: 'gray',
}

const DELIVERY: Record<ShownDeliveryStatus, string> = {
  queued: 'gray',
  sent: 'blue',
  delivered: 'green',
  failed: 'red',
}

export const Mark = (props: BadgeProps & { children: React.ReactNode }) => (
  <Badge variant="light" tt="none" fw={600} radius="sm" {...props} />
)

/** The code of a relay is verified elsewhere. */
export function VerificationMark({
  of: { verificationStatus: status },
}: {
  of: { verificationStatus?: ShownVerificationStatus | undefined }
}) {
  const say = useWords(statusWords)
  return status === undefined ? (
    <Mark color="grape">{say.relay}</Mark>
  ) : (
    <Mark color={VERIFICATION[status]}>{say.verification[status]}</Mark>
  )
}

export function DeliveryMark({ status, isAmbiguous = false }: { status: ShownDeliveryStatus; isAmbiguous?: boolean }) {
  const say = useWords(statusWords)
  return isAmbiguous ? (
    <Mark color="yellow">{say.ambiguous}</Mark>
  ) : (
    <Mark color={DELIVERY[status]}>{say.delivery[status]}</Mark>
  )
}
