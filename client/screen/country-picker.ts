/** A searchable list of countries. It opens over the page, and closes with a choice, Escape or a click beside it. */
import type { Texts } from '../texts/texts'
import type { Country } from './countries'
import type { countriesLike } from './country-search'
import { flagOf } from './flag'
import { node } from './node'

interface Picker {
  /** The list opens at this box. */
  box: HTMLElement
  texts: Texts
  countries: readonly Country[]
  chosen: string
  choose: (country: string) => void
}

export function openCountryPicker({ box, texts, countries, chosen, choose }: Picker): void {
  const search = node('input', {
    ...{
      part: 'input search',
      type: 'text',
      role: 'combobox',
      'aria-expanded': 'true',
      'aria-controls': 'watchword-countries',
    },
    ...{ 'aria-label': texts.search_country, placeholder: texts.search_country, autocomplete: 'off' },
    ...{ 'aria-autocomplete': 'list', enterkeyhint: 'done', spellcheck: 'false' },
  })
  const list = node('ul', {
    id: 'watchword-countries',
    part: 'countries',
    role: 'listbox',
    'aria-label': texts.country,
  })
  // The box is from left to right, as numbers are.
  const { direction: dir } = getComputedStyle(box.parentElement ?? box)
  const none = node('p', { part: 'none', role: 'status' })
  const dialog = node('dialog', { part: 'picker', 'aria-label': texts.country, dir }, search, list, none)
  let shown: readonly Country[] = []
  let like: typeof countriesLike | undefined
  void import('./country-search').then(
    ({ countriesLike }) => {
      like = countriesLike
      if (search.value !== '') show()
    },
    // The list stays whole where a page lost its network.
    () => {},
  )
  let current = 0

  function show(): void {
    shown = like?.(search.value, countries) ?? countries
    const options = shown.map(({ code, name, callingCode }) =>
      node(
        'li',
        { id: `watchword-country-${code}`, part: 'option', role: 'option', 'data-country': code },
        node('span', { part: 'flag', 'aria-hidden': 'true' }, flagOf(code)),
        node('span', {}, name),
        node('span', { part: 'option-code', dir: 'ltr' }, `+${callingCode}`),
      ),
    )
    list.replaceChildren(...options)
    list.hidden = shown.length === 0
    none.textContent = shown.length === 0 ? texts.no_country : ''
    point(Math.max(0, search.value === '' ? shown.findIndex(({ code }) => code === chosen) : 0))
  }

  function point(index: number, block: ScrollLogicalPosition = 'nearest'): void {
    current = index
    for (const [at, option] of [...list.children].entries()) option.setAttribute('aria-selected', String(at === index))
    const option = list.children[index]
    search.setAttribute('aria-activedescendant', option?.id ?? '')
    option?.scrollIntoView({ block })
  }

  function take(country: string | undefined): void {
    if (country === undefined) return
    dialog.close()
    choose(country)
  }

  search.addEventListener('input', show)
  search.addEventListener('keydown', (event) => {
    const { key, isComposing } = event
    if (isComposing) return
    if (key === 'Enter') take(shown[current]?.code)
    else if (key === 'ArrowDown') point((current + 1) % shown.length)
    else if (key === 'ArrowUp') point((current + shown.length - 1) % shown.length)
    else return
    // Enter would send the form, and arrows would move the caret.
    event.preventDefault()
  })
  dialog.addEventListener('click', ({ target }) => {
    if (target === dialog) dialog.close()
    else if (target instanceof Element) take(target.closest('li')?.dataset.country)
  })
  // Events of the search are none of the page's form.
  for (const type of ['input', 'change'] as const) dialog.addEventListener(type, (event) => event.stopPropagation())
  dialog.addEventListener('close', () => dialog.remove())
  box.append(dialog)
  show()
  dialog.showModal()
  place(dialog, box)
  point(current, 'center')
}

/** Below the box, or above where there is more room. */
function place(dialog: HTMLDialogElement, box: HTMLElement): void {
  const { left, top, bottom, width } = box.getBoundingClientRect()
  const below = innerHeight - bottom
  const isBelow = below > 280 || below > top
  const { style } = dialog
  style.left = `${left}px`
  style.width = `${width}px`
  style.maxHeight = `${Math.max(200, Math.min(360, (isBelow ? below : top) - 16))}px`
  if (isBelow) style.top = `${Math.min(bottom + 4, innerHeight - 208)}px`
  else style.bottom = `${innerHeight - top + 4}px`
}
