/** Files of configuration, as public reports have them: what YAML, shells and people do to values. */
import { expect, test } from 'bun:test'
import { readConfiguration } from '../../src/cli/configuration-file'

const read = (text: string, env: Record<string, string> = {}) =>
  readConfiguration(text, { file: 'watchword.yaml', env })
const wanted = (text: string, env?: Record<string, string>) => read(text, env).wanted
const refusalOf = (text: string, env?: Record<string, string>) => {
  try {
    return read(text, env) && ''
  } catch (error) {
    return (error as Error).message
  }
}
const carrier = (settings: string) =>
  `carriers: [{ name: main, type: solapi, channels: [sms], settings: { ${settings} } }]`
const settingsOf = (text: string, env?: Record<string, string>) => wanted(text, env).carriers?.[0]?.settings

/** YAML 1.2, 10.3.2: `no` is a text. 18F/identity-idp#1735, AuthMe/AuthMeReloaded#292, carmen-ruby/carmen#4. */
test.each(['NO', 'no', "'NO'"])('Norway, written %s, is a country', (written) => {
  expect(wanted(`apps: [{ name: shop, region: ${written} }]`).apps?.[0]?.region).toBe(written.replaceAll("'", ''))
})

/** nelmio/alice#286, picocms/Pico#388, JuliaData/YAML.jl#41: a number with a leading zero changes without a word. */
test.each(['0212345678', '0606', '011', '1e3'])(
  'a number without quotes, %s, is refused rather than changed',
  (number) => {
    expect(refusalOf(carrier(`from: ${number}`))).toContain(
      'carriers.0.settings.from: must be a string: put it in quotes',
    )
    expect(settingsOf(carrier(`from: "${number}"`))).toEqual({ from: number })
  },
)

/** HeavyHorst/remco#120, oracle/oracle-db-appdev-monitoring#292, block/blip#40: a dollar sign in a password is itself. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: that it is none is what is tested
test.each(['pa$USERword', 'a$Q$', '${HOME}', '$$', 'a#b', 'a: b', '"quoted"', 'ünï'])(
  'a password %s stays as it is',
  (word) => {
    const env = { SECRET: word, USER: 'wrong', Q: 'wrong' }
    expect(settingsOf(carrier('apiSecret: env:SECRET'), env)).toEqual({ apiSecret: word })
    expect(settingsOf(carrier(`apiSecret: ${JSON.stringify(word)}`))).toEqual({ apiSecret: word })
  },
)

/** levkk in pgdogdev/pgdog#1493: what a variable holds is no reference itself. */
test('a value that looks like a reference is not followed', () => {
  expect(settingsOf(carrier('apiSecret: env:SECRET'), { SECRET: 'env:OTHER', OTHER: 'x' })).toEqual({
    apiSecret: 'env:OTHER',
  })
})

/** kubernetes/kubernetes#23404, jenkinsci/configuration-as-code-plugin#163: a secret that was made from a file ends with a line end. */
test.each(['sealed\n', 'sealed\r\n', 'sealed'])('a line end behind a secret does not count: %j', (value) => {
  expect(settingsOf(carrier('apiSecret: env:SECRET'), { SECRET: value })).toEqual({ apiSecret: 'sealed' })
})

test.each([
  [{}, 'not set'],
  [{ SECRET: '' }, 'empty'],
])('a reference to what is missing is refused by its name: %j', (env, says) => {
  expect(refusalOf(carrier('apiSecret: env:SECRET'), env as Record<string, string>)).toBe(
    `watchword.yaml refers to env:SECRET, which is ${says}`,
  )
})

/** sveltia/sveltia-cms#133, go-task/task#1705: merge keys are no part of YAML 1.2, and people write them. */
test('merge keys and anchors work', () => {
  const file = `
apps:
  - &shop { name: shop, region: KR, retentionDays: 90 }
  - { <<: *shop, name: clinic }`
  expect(wanted(file).apps).toEqual([
    { name: 'shop', region: 'KR', retentionDays: 90 },
    { name: 'clinic', region: 'KR', retentionDays: 90 },
  ])
})

/** go-yaml/yaml#154, spring-projects/spring-boot#1683: of a key that is there twice one wins without a word. YAML 1.2, 3.2.1.1. */
test('a key that is there twice is refused', () => {
  expect(refusalOf('apps: []\ncarriers: []\napps: []')).toContain('Map keys must be unique')
})

/** elastic/beats#2354, cafkafk/serde-norway#8: YAML 1.2, 5.2 allows the mark that editors of Windows write. */
test.each(['', '---\r\n'])('a byte order mark and line ends of Windows are read: %j', (begin) => {
  const text = `\uFEFF${begin}apps:\r\n  - name: shop\r\n    region: KR\r\n`
  expect(wanted(text).apps).toEqual([{ name: 'shop', region: 'KR' }])
})

/** Shopify/krane#515: who applies a part must not lose the rest. An empty file, or comments alone, want nothing. */
test.each(['', '# later', '{}', '---\n'])('a file without sections wants nothing: %j', (text) => {
  expect(wanted(text)).toEqual({})
})

/** The "billion laughs", as in CVE-2019-11253 of Kubernetes. */
test('a file that grows without end is refused', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const lines = names.map(
    (name, n) =>
      `${name}: &${name} [${
        n === 0
          ? '"x"'
          : Array(9)
              .fill(`*${names[n - 1]}`)
              .join(',')
      }]`,
  )
  expect(() => read(lines.join('\n'))).toThrow()
})

test('JSON is read as well', () => {
  expect(wanted('{"apps":[{"name":"shop"}]}').apps).toEqual([{ name: 'shop' }])
})
