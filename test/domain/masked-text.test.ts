import { describe, expect, test } from 'bun:test'
import { maskedText, type RenderedMessage } from '../../src/domain/message/rendered-message'
import type { Issue } from '../../src/domain/verification/issue'

const issue = (changes: Partial<Issue> = {}) =>
  ({ leg: 'sms', channel: 'sms', verificationStatus: 'issued', ...changes }) as Issue
const message = (text: string, more: Partial<RenderedMessage> = {}) =>
  ({ to: '+821012345678', code: '012345', variables: {}, text, ...more }) as RenderedMessage

describe('the text that is kept of a message', () => {
  test('has dots for the code, wherever it stands', () => {
    const text = '012345 is your code.\n@app.example.com #012345'
    expect(maskedText(issue(), message(text))).toBe('•••••• is your code.\n@app.example.com #••••••')
  })

  test('has the names of variables, also where one holds another, the code or signs of a pattern', () => {
    const variables = { name: 'Ann', full: 'Ann (Lee)', note: 'by 012345' }
    const text = 'Dear Ann (Lee), Ann: 012345, by 012345'
    expect(maskedText(issue(), message(text, { variables }))).toBe('Dear #{full}, #{name}: ••••••, #{note}')
  })

  test('has nothing left of the code where a value is its beginning, or runs into it', () => {
    const variables = { minutes: '01', desk: '50' }
    const text = 'In 01 min: 5012345'
    expect(maskedText(issue(), message(text, { variables }))).toBe('In #{minutes} min: 5••••••')
  })

  test('hides a value of one character, wherever it stands', () => {
    expect(maskedText(issue(), message('Desk A: 012345', { variables: { desk: 'A' } }))).toBe('Desk #{desk}: ••••••')
  })

  test('is that of the leg', () => {
    const both = message('talk 012345', { fallbackText: 'sms 012345' })
    expect(maskedText(issue({ leg: 'alimtalk', channel: 'alimtalk' }), both)).toBe('talk ••••••')
    expect(maskedText(issue({ channel: 'alimtalk' }), both)).toBe('sms ••••••')
  })

  test('is none where the channel words it itself, and of another platform', () => {
    expect(maskedText(issue({ leg: 'voice' }), message('012345'))).toBeUndefined()
    expect(maskedText(issue({ verificationStatus: undefined }), message('https://a.example/012345'))).toBeUndefined()
  })
})
