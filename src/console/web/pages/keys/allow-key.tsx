/** Changes what a live public key may do beyond the usual. */
import { Button, Group, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, queries } from '../../api'
import { frameWords } from '../../i18n/frame'
import { inWords, useWords } from '../../i18n/words'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { AllowancesField } from './allowances'
import type { Key } from './key-table'

const words = inWords({
  en: { save: 'Save', saved: (key: string) => `Saved what ${key} may do; it counts from now on.` },
  ko: { save: '저장', saved: (key) => `${key} 키의 권한을 저장했습니다. 지금부터 적용됩니다.` },
})

export function AllowKey({ of, onDone }: { of: Key; onDone(): void }) {
  const say = useWords(words)
  const common = useWords(frameWords)
  const [allows, setAllows] = useState(of.allows)
  const allow = useMutation(
    api.keys.allow.mutationOptions({
      async onSuccess() {
        await queries.invalidateQueries({ queryKey: api.keys.key() })
        tellDone(say.saved(of.shown))
        onDone()
      },
    }),
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!allow.isPending) allow.mutate({ keyId: of.keyId, allows })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <AllowancesField value={allows} onChange={setAllows} />
        {allow.isError && <ProblemNote failure={allow.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {common.cancel}
          </Button>
          <Button type="submit" loading={allow.isPending}>
            {say.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
