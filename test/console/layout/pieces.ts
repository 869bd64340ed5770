/** What a page shows: its text, line by line, and its controls. */
import { type Box, heightOf, meet, widthOf } from './box'

/** One line of one run of text. */
export interface Piece {
  text: string
  element: Element
  /** As high as its letters, not as its line. */
  box: Box
  /** The block whose lines it is part of. */
  block: Element
  layer: Element
}

export interface Control {
  element: Element
  box: Box
  /** Where its value stands: fields leave room for the buttons that lie in them. */
  inside: Box
  name: string
  isField: boolean
  /** What a field shows that nobody can scroll to see: a choice, or a hint. */
  shown: string
  layer: Element
}

const CONTROLS =
  'a[href], button, input, select, textarea, [role=menuitem], [role=menuitemradio], [role=option], [role=tab]'

/** Letters stand in the middle of their line, and are about this high. */
const LETTER = 0.72

/** A short name to find it by. */
export function nameOf(element: Element): string {
  const written = piecesOf(element).map(({ text }) => text)
  const text = written.join(' ') || element.textContent?.trim() || element.getAttribute('aria-label') || ''
  const id = element.id && !element.id.startsWith('mantine') ? `#${element.id}` : ''
  return `<${element.localName}${id}> “${text.length > 60 ? `${text.slice(0, 60)}…` : text}”`
}

/** Nothing moves while a page is measured: the answer for an element holds until the next measuring. */
export function remembered<T>(answer: (element: Element) => T): (element: Element) => T {
  let answers = new Map<Element, T>()
  forgetting.push(() => {
    answers = new Map()
  })
  return (element) => {
    const before = answers.get(element)
    if (before !== undefined) return before
    const found = answer(element)
    answers.set(element, found)
    return found
  }
}
const forgetting: Array<() => void> = []

/** To be called before each measuring. */
export function forget(): void {
  for (const each of forgetting) each()
}

export const boxOf = remembered((element): Box => {
  const { left, top, right, bottom } = element.getBoundingClientRect()
  return { left, top, right, bottom }
})

/** What is read of many elements, and often. */
const styleOf = remembered((element) => {
  const { overflow, overflowX, overflowY, position, clipPath } = getComputedStyle(element)
  return { overflow, overflowX, overflowY, position, clipPath }
})

/** Shown to eyes; what is only for those who listen is not measured. */
export const isShown = remembered((element): boolean => {
  if (!element.checkVisibility({ opacityProperty: true, visibilityProperty: true })) return false
  if (isForListeners(element)) return false
  const { bottom, right } = boxOf(element)
  // Above or left of the page nobody can scroll.
  return bottom + scrollY > 0 && right + scrollX > 0
})

const isForListeners = remembered((element): boolean => {
  const { overflow, clipPath, position } = styleOf(element)
  const box = boxOf(element)
  const isDot = position !== 'static' && widthOf(box) <= 1 && heightOf(box) <= 1 && overflow !== 'visible'
  if (isDot || clipPath === 'inset(50%)') return true
  return element.parentElement !== null && isForListeners(element.parentElement)
})

/** Things are compared with what they share a layer with: what floats may cover the rest. */
export const layerOf = remembered((element): Element => {
  if (element.matches('[data-portal]') || ['fixed', 'sticky'].includes(styleOf(element).position)) return element
  return element.parentElement ? layerOf(element.parentElement) : document.documentElement
})

/** How far something may reach: the nearest edges around it that are drawn or cut. */
export function edgesAround(element: Element): Box {
  for (let at = element.parentElement; at; at = at.parentElement) {
    const { overflowX, borderLeftWidth, borderLeftStyle } = getComputedStyle(at)
    const isEdge = overflowX !== 'visible' || (borderLeftStyle !== 'none' && Number.parseFloat(borderLeftWidth) > 0)
    if (isEdge && !['td', 'tr'].includes(at.localName)) return boxOf(at)
  }
  return boxOf(document.documentElement)
}

/** What is left of a box after everything around the element, as far as `within`, has cut or scrolled it away. */
export function visiblePart(element: Element, box: Box, within: Element = document.body): Box {
  let part = box
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
    const { overflowX, overflowY, position } = styleOf(at)
    const edges = boxOf(at)
    if (overflowX !== 'visible') part = meet(part, { ...edges, top: part.top, bottom: part.bottom })
    if (overflowY !== 'visible') part = meet(part, { ...edges, left: part.left, right: part.right })
    if (position === 'fixed' || at === within) break
  }
  return part
}

export const piecesOf = remembered((root): Piece[] => {
  const pieces: Piece[] = []
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const element = node.parentElement
    if (!element || !node.nodeValue?.trim() || element.closest('script, style, noscript, option, textarea')) continue
    if (!isShown(element)) continue
    const half = (LETTER / 2) * Number.parseFloat(getComputedStyle(element).fontSize)
    const place = { element, block: blockOf(element), layer: layerOf(element) }
    for (const { text, box } of linesOf(node, node.nodeValue)) {
      const middle = (box.top + box.bottom) / 2
      pieces.push({ ...place, text, box: { ...box, top: middle - half, bottom: middle + half } })
    }
  }
  return pieces
})

/** The lines of a text, from its first word to its last: the spaces between lines may hang out. */
function linesOf(node: Node, written: string): { text: string; box: Box }[] {
  const lines: { text: string; box: Box }[] = []
  for (const { 0: word, index } of written.matchAll(/\S+/g)) {
    const range = document.createRange()
    range.setStart(node, index)
    range.setEnd(node, index + word.length)
    for (const { left, right, top, bottom } of range.getClientRects()) {
      const line = lines.at(-1)
      if (right - left <= 1) continue
      if (line && Math.abs(line.box.top - top) < 2) {
        line.text += ` ${word}`
        line.box.right = Math.max(line.box.right, right)
        line.box.left = Math.min(line.box.left, left)
      } else lines.push({ text: word, box: { left, right, top, bottom } })
    }
  }
  return lines
}

function blockOf(element: Element): Element {
  let at = element
  while (getComputedStyle(at).display === 'inline' && at.parentElement) at = at.parentElement
  return at
}

export const controlsOf = (root: Element): Control[] =>
  [...root.querySelectorAll(CONTROLS)].flatMap((element) => {
    const seen = seenOf(element)
    if (!seen) return []
    const style = getComputedStyle(element)
    const box = boxOf(seen)
    const isField = ['input', 'select', 'textarea'].includes(element.localName)
    const inside = isField
      ? {
          left: box.left + Number.parseFloat(style.paddingLeft),
          right: box.right - Number.parseFloat(style.paddingRight),
          top: box.top,
          bottom: box.bottom,
        }
      : box
    return [
      {
        element: seen,
        box,
        inside,
        name: accessibleName(element),
        isField,
        shown: shownIn(element),
        layer: layerOf(element),
      },
    ]
  })

/** What is seen of a control: radios and checkboxes may leave that to their label. */
function seenOf(element: Element): Element | undefined {
  if (element instanceof HTMLInputElement) {
    if (element.type === 'hidden' || element.type === 'file') return undefined
    const [label] = element.labels ?? []
    if (['radio', 'checkbox'].includes(element.type) && !isShown(element))
      return label && isShown(label) ? label : undefined
  }
  const isOutOfReach = element.closest('[inert], [aria-hidden=true]') !== null
  // Squeezed to nothing it is not hidden, but lost.
  const isHidden = !element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
  return isOutOfReach || isHidden || (!isShown(element) && element.getClientRects().length === 0) || isAway(element)
    ? undefined
    : element
}

const isAway = (element: Element) => {
  const { bottom, right } = element.getBoundingClientRect()
  const { position, overflow, width } = getComputedStyle(element)
  return (
    bottom + scrollY <= 0 ||
    right + scrollX <= 0 ||
    (position === 'absolute' && overflow === 'hidden' && width === '1px')
  )
}

function accessibleName(element: Element): string {
  const by = element
    .getAttribute('aria-labelledby')
    ?.split(/\s+/)
    .map((id) => document.getElementById(id)?.textContent ?? '')
  const labels =
    element instanceof HTMLInputElement ||
    element instanceof HTMLSelectElement ||
    element instanceof HTMLTextAreaElement
      ? [...(element.labels ?? [])].map((label) => label.textContent ?? '')
      : [element.textContent ?? '']
  const alt = [...element.querySelectorAll('img')].map((image) => image.alt)
  return [
    element.getAttribute('aria-label') ?? '',
    ...(by ?? []),
    ...labels,
    ...alt,
    element.getAttribute('title') ?? '',
  ]
    .join(' ')
    .trim()
}

function shownIn(element: Element): string {
  if (element instanceof HTMLSelectElement) return element.selectedOptions[0]?.textContent ?? ''
  if (!(element instanceof HTMLInputElement) || ['radio', 'checkbox'].includes(element.type)) return ''
  if (element.value === '') return element.placeholder
  return element.hasAttribute('aria-haspopup') && element.readOnly ? element.value : ''
}
