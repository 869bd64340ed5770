import { describe, expect, test } from 'bun:test'
import { languageOf, loadTexts } from '../../client/element/language'
import type { FlowTextKey } from '../../client/flow'
import * as module from '../../client/texts'
import { minutesOf, say, type Texts } from '../../client/texts'

const { minutesOf: _, say: __, ...languages } = module
const placeholdersOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

test('there are thirty languages, and the element has each', async () => {
  expect(Object.keys(languages)).toHaveLength(30)
  for (const [name, texts] of Object.entries<Texts>(languages)) {
    const tag = name === 'zhTW' ? 'zh-TW' : name
    expect(languageOf([tag])).toBe(tag)
    expect(await loadTexts(tag)).toBe(texts)
  }
})

test.each([
  [['zh-Hant-HK', 'en'], 'zh-TW'],
  [['zh_MO'], 'zh-TW'],
  [['zh-Hans-CN'], 'zh'],
  [['no'], 'nb'],
  [['nn-NO'], 'nb'],
  [['iw'], 'he'],
  [['xx', 'pt-PT'], 'pt'],
  [['xx'], 'en'],
])('%p is shown in %s', (tags, language) => {
  expect(languageOf(tags)).toBe(language)
})

describe.each(Object.entries<Texts>(languages))('%s', (name, texts) => {
  test('says everything, with what it speaks of', () => {
    expect(Object.keys(texts)).toEqual(Object.keys(languages.en))
    for (const [key, text] of Object.entries(texts)) {
      const english = languages.en[key as keyof Texts]
      expect([key, placeholdersOf(text)]).toEqual([key, placeholdersOf(english)])
      if (name !== 'en') expect(text).not.toBe(english)
      expect([key, text.trim()]).toEqual([key, text])
    }
    expect(new Set(Object.values(texts)).size).toBe(Object.keys(texts).length)
  })

  test('is filled in', () => {
    expect(say(texts, { key: 'MISMATCH', attemptsRemaining: 4 })).toContain('4')
    expect(say(texts, { key: 'resend', waitMs: 29_001 })).toContain('0:30')
    // The number is a node of its own.
    for (const key of Object.keys(texts).filter((each) => each !== 'sent_to') as FlowTextKey[])
      expect(say(texts, { key })).not.toMatch(/[{}]/)
  })
})

test('a text is replaced by another one, which may leave out what there is to fill in', () => {
  const texts = { ...languages.en, MISMATCH: 'No.', verified: '{welcome}' }
  expect(say(texts, { key: 'MISMATCH', attemptsRemaining: 4 })).toBe('No.')
  expect(say(texts, { key: 'verified' })).toBe('{welcome}')
})

test.each([
  [0, '0:00'],
  [1, '0:01'],
  [59_000, '0:59'],
  [60_000, '1:00'],
  [3_599_001, '1:00:00'],
  [86_400_000, '24:00:00'],
])('%i ms are %s', (ms, shown) => {
  expect(minutesOf(ms)).toBe(shown)
})
