/** Makes an app, which then is the one looked at. */
import { Box, Button, Group, Stack, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { api, queries } from '../../api'
import { inWords, useWords } from '../../i18n/words'
import { refuseField, toFirstProblem } from '../../parts/field-problem'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { useScope } from '../../scope'
import { RegionChoice } from './region-choice'
import { appWords } from './words'

const words = inWords({
  en: {
    example: 'shop',
    make: 'Create app',
    made: (name: string) => `The app “${name}” is there.`,
  },
  ko: {
    example: '쇼핑몰',
    make: '앱 만들기',
    made: (name) => `“${name}” 앱을 만들었습니다.`,
  },
})

/** The first steps ask for no more than a name. */
export function NewApp({ asksRegion = false }: { asksRegion?: boolean }) {
  const say = useWords(words)
  const known = useWords(appWords)
  const { choose } = useScope()
  const [region, setRegion] = useState<string | undefined | null>()
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? known.needsName : undefined) },
  })
  const create = useMutation(
    api.apps.create.mutationOptions({
      async onSuccess({ appId, name }) {
        // Before the app is shown: what is shown then stays where it is, and a click meets it.
        choose({ app: appId })
        await queries.invalidateQueries({ queryKey: api.apps.key() })
        form.reset()
        setRegion(undefined)
        tellDone(say.made(name))
      },
      onError(failure) {
        if (refuseField(form, failure)) create.reset()
      },
    }),
  )
  return (
    <form
      onSubmit={form.onSubmit((values) => {
        // What was typed there names no country.
        if (region !== null) create.mutate({ ...values, ...(region && { region }) })
      }, toFirstProblem)}
      noValidate
    >
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={known.appName}
            placeholder={say.example}
            maxLength={100}
            autoComplete="off"
            {...form.getInputProps('name')}
          />
          {asksRegion && (
            <Box flex="1 1 260px" maw={340}>
              <RegionChoice value={region} onChange={setRegion} />
            </Box>
          )}
          <Button type="submit" loading={create.isPending}>
            {say.make}
          </Button>
        </Group>
        {create.isError && <ProblemNote failure={create.error} />}
      </Stack>
    </form>
  )
}
