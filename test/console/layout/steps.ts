/** What a visitor does, in whichever language the console speaks: names are written for all of them. */
import type { Page } from 'playwright-core'

export type Step = (page: Page) => Promise<unknown>

export const press =
  (name: RegExp, role: 'button' | 'link' | 'menuitem' | 'combobox' = 'button'): Step =>
  (page) =>
    page.getByRole(role, { name }).first().click()

/** What lies in the dialog, not in the page below it. */
export const confirm =
  (name: RegExp): Step =>
  (page) =>
    page.getByRole('dialog').getByRole('button', { name }).click()

export const fill =
  (label: RegExp, value: string): Step =>
  (page) =>
    page.getByLabel(label).first().fill(value)

export const check =
  (label: RegExp): Step =>
  (page) =>
    page.getByLabel(label).first().check()

export const select =
  (label: RegExp, value: string): Step =>
  (page) =>
    page.getByLabel(label).first().selectOption(value)

export const see =
  (text: RegExp): Step =>
  (page) =>
    page.getByText(text).first().waitFor()
