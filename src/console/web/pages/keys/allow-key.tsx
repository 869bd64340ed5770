/** Changes what a live public key may do beyond the usual. */
import { api, client, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { Form, useServerForm } from '../../parts/form'
import { tellDone } from '../../parts/tell'
import { AllowancesField } from './allowances'
import type { Key } from './key-table'

const words = inWords({
  en: { save: 'Save', saved: (key: string) => `Saved what ${key} may do; it counts from now on.` },
  ko: { save: '저장', saved: (key) => `${key} 키의 권한을 저장했습니다. 지금부터 적용됩니다.` },
})

export function AllowKey({ of, onDone }: { of: Key; onDone(): void }) {
  const say = useWords(words)
  const form = useServerForm({
    initialValues: { allows: of.allows },
    send: ({ allows }) => client.keys.allow({ keyId: of.keyId, allows }),
    async onDone() {
      await queries.invalidateQueries({ queryKey: api.keys.key() })
      tellDone(say.saved(of.shown))
      onDone()
    },
  })
  return (
    <Form form={form} action={say.save} onCancel={onDone}>
      <AllowancesField {...form.plainField('allows')} />
    </Form>
  )
}
