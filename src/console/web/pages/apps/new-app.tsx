/** Creates an app and selects it. */
import { Box, Button, Group, Stack, TextInput } from '@mantine/core'
import { api, client, queries } from '../../api'
import { countryWithCode } from '../../i18n/names'
import { inWords, useLanguage, useWords } from '../../i18n/words'
import { type ChosenCountry, CountryChoice } from '../../parts/country-choice'
import { useServerForm } from '../../parts/form'
import { ProblemNote } from '../../parts/problem-note'
import { tellDone } from '../../parts/tell'
import { useDefaultRegion, useScope } from '../../scope'
import { appWords } from './words'

const words = inWords({
  en: {
    example: 'shop',
    make: 'Create app',
    made: (name: string) => `The app “${name}” is created.`,
  },
  ko: {
    example: '쇼핑몰',
    make: '앱 만들기',
    made: (name) => `“${name}” 앱을 만들었습니다.`,
  },
})

/** `asksRegion` is off in the first steps, which need only a name. */
export function NewApp({ asksRegion = false }: { asksRegion?: boolean }) {
  const say = useWords(words)
  const known = useWords(appWords)
  const { choose } = useScope()
  const form = useServerForm({
    initialValues: { name: '', region: undefined as ChosenCountry },
    // The typed text may match no country.
    validate: {
      name: (name) => (name.trim() === '' ? known.needsName : undefined),
      region: (region) => region === null,
    },
    send: ({ name, region }) => client.apps.create({ name, ...(region && { region }) }),
    async onDone({ appId, name }) {
      // Selects the app before the list reloads, so that the layout does not move under a click.
      choose({ app: appId })
      await queries.invalidateQueries({ queryKey: api.apps.key() })
      form.reset()
      tellDone(say.made(name))
    },
  })
  return (
    <form onSubmit={form.submit} noValidate>
      <Stack gap="sm">
        <Group align="flex-end" gap="sm">
          <TextInput
            label={known.appName}
            placeholder={say.example}
            maxLength={100}
            autoComplete="off"
            {...form.field('name')}
          />
          {asksRegion && (
            <Box flex="1 1 260px" maw={340}>
              <RegionChoice {...form.plainField('region')} />
            </Box>
          )}
          <Button type="submit" loading={form.isPending}>
            {say.make}
          </Button>
        </Group>
        {form.failure && <ProblemNote failure={form.failure} />}
      </Stack>
    </form>
  )
}

export const regionWords = inWords({
  en: {
    region: 'Region',
    about:
      'Phone numbers without a country code are read in the format of this country. Numbers with + are read the same everywhere.',
    asServer: (country: string) => `Server default: ${country}`,
  },
  ko: {
    region: '지역',
    about: '국가 번호 없이 쓴 전화번호를 이 나라의 형식으로 읽습니다. +로 시작하는 번호는 어디서나 똑같이 읽습니다.',
    asServer: (country) => `서버 설정대로: ${country}`,
  },
})

interface RegionChoiceProps {
  /** Undefined: the server's region. Null: nothing is chosen. */
  value: ChosenCountry
  onChange(region: ChosenCountry): void
}

/** Choice of the region for national phone formats, or the server's default. */
export function RegionChoice({ value, onChange }: RegionChoiceProps) {
  const say = useWords(regionWords)
  const language = useLanguage()
  const home = countryWithCode(useDefaultRegion(), language)
  return (
    <CountryChoice
      label={say.region}
      description={say.about}
      none={say.asServer(home)}
      value={value}
      onChange={onChange}
    />
  )
}
