/** Makes an app, which then is the one looked at. */
import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { api, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { useFields } from '../../parts/fields'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { useScope } from '../../scope'

const words = inWords({
  en: {
    name: 'Name of the app',
    example: 'shop',
    needsName: 'Enter a name.',
    make: 'Create app',
    made: (name: string) => `The app “${name}” is there.`,
  },
  ko: {
    name: '앱 이름',
    example: '쇼핑몰',
    needsName: '이름을 입력하세요.',
    make: '앱 만들기',
    made: (name) => `“${name}” 앱을 만들었습니다.`,
  },
})

export function NewApp({ onMade }: { onMade?(): void }) {
  const say = useWords(words)
  const { choose } = useScope()
  const fields = useFields({ name: '' }, ({ name }) => ({ name: name.trim() === '' ? say.needsName : undefined }))
  const create = useMutation(
    api.apps.create.mutationOptions({
      async onSuccess({ appId, name }) {
        await queries.invalidateQueries({ queryKey: api.apps.key() })
        choose({ app: appId })
        fields.reset()
        tellDone(say.made(name))
        onMade?.()
      },
      onError(failure) {
        if (fields.refuse(failure)) create.reset()
      },
    }),
  )
  return (
    <form onSubmit={fields.onSubmit((values) => create.mutate(values))} noValidate>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={say.name}
            placeholder={say.example}
            maxLength={100}
            autoComplete="off"
            {...fields.of('name')}
          />
          <Button type="submit" loading={create.isPending}>
            {say.make}
          </Button>
        </Group>
        {create.isError && <ProblemNote failure={create.error} />}
      </Stack>
    </form>
  )
}
