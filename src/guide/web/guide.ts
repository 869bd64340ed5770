/** The search of the guide. It runs in the browser; the index is loaded at the first input. */
import MiniSearch from 'minisearch'
import { SEARCH_OPTIONS, type Section } from '../shared'

const MOST_SHOWN = 10

const box = document.querySelector<HTMLInputElement>('#search')
const list = document.querySelector<HTMLUListElement>('#found')
const status = document.querySelector<HTMLElement>('#found-count')
let loading: Promise<MiniSearch<Section>> | undefined

const loaded = (url: string) =>
  fetch(url)
    .then((answer) => answer.text())
    .then((index) => MiniSearch.loadJSON<Section>(index, SEARCH_OPTIONS))

if (box && list && status) {
  const load = () => {
    loading ??= loaded(box.dataset.index ?? '')
    return loading
  }
  box.addEventListener('focus', load)
  box.addEventListener('input', async () => show(box, list, status, await load()))
  box.addEventListener('keydown', (event) => move(event, box, list))
  box.addEventListener('blur', () => setTimeout(() => close(box, list), 150))
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
    if (event.key !== '/' || isTyping) return
    event.preventDefault()
    box.focus()
  })
}

function show(box: HTMLInputElement, list: HTMLElement, status: HTMLElement, index: MiniSearch<Section>): void {
  const found = index.search(box.value).slice(0, MOST_SHOWN)
  list.replaceChildren(
    ...found.map(({ id, heading, page }, at) => {
      const option = document.createElement('li')
      Object.assign(option, { id: `found-${at}`, role: 'option' })
      option.dataset.href = id
      option.append(line('strong', heading), line('span', page))
      option.addEventListener('mousedown', () => location.assign(id))
      return option
    }),
  )
  const isOpen = box.value.trim() !== ''
  list.hidden = found.length === 0
  box.setAttribute('aria-expanded', String(found.length > 0))
  box.removeAttribute('aria-activedescendant')
  status.textContent = !isOpen ? '' : found.length === 0 ? 'Nothing found' : `${found.length} found`
}

function line(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag)
  element.textContent = text
  return element
}

function move(event: KeyboardEvent, box: HTMLInputElement, list: HTMLElement): void {
  if (event.key === 'Escape') close(box, list)
  const options = [...list.querySelectorAll<HTMLElement>('[role=option]')]
  const at = options.findIndex((option) => option.ariaSelected === 'true')
  if (event.key === 'Enter') {
    const chosen = options[Math.max(0, at)]?.dataset.href
    if (chosen) location.assign(chosen)
    return
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (step === undefined || options.length === 0) return
  event.preventDefault()
  const next = (at + step + options.length) % options.length
  for (const [index, option] of options.entries()) option.ariaSelected = String(index === next)
  options[next]?.scrollIntoView({ block: 'nearest' })
  box.setAttribute('aria-activedescendant', `found-${next}`)
}

function close(box: HTMLInputElement, list: HTMLElement): void {
  list.hidden = true
  box.setAttribute('aria-expanded', 'false')
}
