/** Mobile numbers as they were before their country changed its plan. Each meant one number of today, without doubt. */

const FORMER: ReadonlyArray<readonly [was: RegExp, is: string]> = [
  // Mexico, 2019: no 1 behind the country code.
  [/^521(?=\d{10}$)/, '52'],
  // Brazil, until 2016: a ninth digit.
  [/^(55\d\d)(?=[6-9]\d{7}$)/, '$19'],
  // Italy, 2001: no zero before mobile numbers.
  [/^390(?=3\d{8,9}$)/, '39'],
  // Benin, 2024.
  [/^229(?=[4-9]\d{7}$)/, '22901'],
  // Ivory Coast, 2021: the second digit told the operator.
  [/^225(?=[04-9][1-3]\d{6}$)/, '22501'],
  [/^225(?=[04-9][4-6]\d{6}$)/, '22505'],
  [/^225(?=[04-9][7-9]\d{6}$)/, '22507'],
  // Vietnam, 2018: eleven digits became ten.
  [/^8416(?=[2-9]\d{7}$)/, '843'],
  ...Object.entries({
    ...{ 120: 70, 121: 79, 122: 77, 126: 76, 128: 78, 123: 83, 124: 84, 125: 85, 127: 81, 129: 82 },
    ...{ 186: 56, 188: 58, 199: 59 },
  }).map(([was, is]) => [new RegExp(`^84${was}(?=\\d{7}$)`), `84${is}`] as const),
]

/** Digits of the number of today, without plus; undefined where the plan was not changed. */
export function nowadays(digits: string): string | undefined {
  const found = FORMER.find(([was]) => was.test(digits))
  return found && digits.replace(...found)
}
