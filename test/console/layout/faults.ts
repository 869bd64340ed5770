/**
 * What a person would find wrong with the layout of a page, by measuring it as it stands: text squeezed, clipped or
 * unreadable, controls that say nothing, things on top of each other or outside their box. Runs in the page.
 */
import { type Box, heightOf, isIn, middleOf, overlapOf, widthOf } from './box'
import { backgroundBehind, colorOf, contrast, laidGrounds } from './colors'
import {
  boxOf,
  type Control,
  controlsOf,
  edgesAround,
  forget,
  isShown,
  layerOf,
  nameOf,
  type Piece,
  piecesOf,
  remembered,
  visiblePart,
} from './pieces'

/** Columns narrower than this hold no text of several lines. */
const COLUMN = 80
/** Room that would have been worth using. */
const ROOM = 40
/** Pixels that rounding may cost. */
const ROUNDING = 1.5
/** Two things lie on each other from this much on, in both directions. */
const OVERLAP = 3
/** WCAG: the ratio of text, and of large text. */
const READABLE = 4.5
const READABLE_LARGE = 3

export type Fault = 'squeezed' | 'label' | 'overlap' | 'overflow' | 'clipped' | 'contrast'

/** Of where things are; `faultsOfColors` looks at the rest. */
export function faultsOfLayout(): string[] {
  forget()
  const pieces = piecesOf(document.body)
  const controls = controlsOf(document.body)
  return [
    ...overflowing(pieces, controls),
    ...squeezed(pieces, controls),
    ...unlabelled(controls, pieces),
    ...overlapping(pieces, controls),
    ...clipped(pieces, controls),
    ...cutTables(),
  ]
}

const fault = (kind: Fault, element: Element, what: string) => `${kind}: ${nameOf(element)} ${what}`

/** Text of several lines in a narrow column, beside which there is nothing. */
function squeezed(pieces: readonly Piece[], controls: readonly Control[]): string[] {
  const things = [...pieces, ...controls]
  return blocksOf(pieces).flatMap(({ element, box, lines, layer }) => {
    const width = element.clientWidth || widthOf(box)
    if (lines < 2 || width >= COLUMN) return []
    const edges = edgesAround(element)
    const beside = things.filter(
      (other) =>
        other.layer === layer &&
        !element.contains(other.element) &&
        other.box.top < box.bottom &&
        other.box.bottom > box.top,
    )
    const left = Math.max(edges.left, ...beside.filter(({ box: b }) => b.right <= box.left + 1).map((b) => b.box.right))
    const right = Math.min(edges.right, ...beside.filter((b) => b.box.left >= box.right - 1).map((b) => b.box.left))
    const room = right - left - widthOf(box)
    return room > ROOM
      ? [
          fault(
            'squeezed',
            element,
            `has ${lines} lines of ${Math.round(width)} px beside ${Math.round(room)} px of room`,
          ),
        ]
      : []
  })
}

/** The text of one block, whatever its parts are dressed in. */
function blocksOf(pieces: readonly Piece[]): { element: Element; box: Box; lines: number; layer: Element }[] {
  const ofBlock = Map.groupBy(pieces, ({ block }) => block)
  return [...ofBlock].map(([element, parts]) => {
    const box = {
      left: Math.min(...parts.map((part) => part.box.left)),
      right: Math.max(...parts.map((part) => part.box.right)),
      top: Math.min(...parts.map((part) => part.box.top)),
      bottom: Math.max(...parts.map((part) => part.box.bottom)),
    }
    const tops = new Set(parts.map((part) => Math.round(middleOf(part.box).y / 6)))
    return { element, box, lines: tops.size, layer: layerOf(element) }
  })
}

/** Controls nobody can see, or nobody can tell what they are for. */
function unlabelled(controls: readonly Control[], pieces: readonly Piece[]): string[] {
  return controls.flatMap(({ element, box, name, isField }) => {
    if (widthOf(box) < 8 || heightOf(box) < 8)
      return [fault('label', element, `is ${Math.round(widthOf(box))} × ${Math.round(heightOf(box))} px`)]
    if (name === '') return [fault('label', element, 'has no name')]
    // What is scrolled halfway out above all that is seen may show its label only when it is scrolled back.
    if (isField || box.top + scrollY < 0) return []
    const hasText = pieces.some((piece) => element.contains(piece.element) && isSeen(piece, element))
    const hasPicture = [...element.querySelectorAll('*')].some((part) => isPicture(part) && isDrawn(part, element))
    return hasText || hasPicture ? [] : [fault('label', element, 'shows no label')]
  })
}

/** A picture, or a stroke of one: the three bars of a menu are no image. */
const isPicture = (element: Element) =>
  element.matches('svg, img') ||
  ['', '::before'].some((part) => colorOf(getComputedStyle(element, part).backgroundColor).alpha > 0)

/** Also where its control is scrolled halfway out of a dialog, above all that is seen. */
const isDrawn = (element: Element, within: Element) =>
  element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
  widthOf(visiblePart(element, boxOf(element), within)) >= 8

const isSeen = ({ element, box }: Piece, within: Element) => {
  const part = visiblePart(element, box, within)
  return widthOf(part) > 0.5 * widthOf(box) && heightOf(part) > 0.5 * heightOf(box)
}

/** Text and controls that lie on others. */
function overlapping(pieces: readonly Piece[], controls: readonly Control[]): string[] {
  const things = [
    ...pieces.map((piece) => ({ ...piece, box: visiblePart(piece.element, piece.box) })),
    ...controls.map((control) => ({ ...control, box: visiblePart(control.element, control.inside) })),
  ]
    .filter(({ box }) => widthOf(box) > OVERLAP && heightOf(box) > OVERLAP)
    .sort((a, b) => a.box.top - b.box.top)
  const found = new Set<string>()
  for (const [index, one] of things.entries())
    for (const other of things.slice(index + 1)) {
      if (other.box.top >= one.box.bottom) break
      // A control has its own text in it; one text lies on no other, also where its element holds that one's.
      const isHeld = one.element.contains(other.element) || other.element.contains(one.element)
      if (one.layer !== other.layer || (isHeld && !('text' in one && 'text' in other))) continue
      const { width, height } = overlapOf(one.box, other.box)
      if (width > OVERLAP && height > OVERLAP)
        found.add(
          fault(
            'overlap',
            one.element,
            `and ${nameOf(other.element)} by ${Math.round(width)} × ${Math.round(height)} px`,
          ),
        )
    }
  return [...found]
}

/** A page that scrolls sideways, and text or controls outside the box they belong to. */
function overflowing(pieces: readonly Piece[], controls: readonly Control[]): string[] {
  const { scrollWidth, clientWidth } = document.documentElement
  const things = [...pieces, ...controls]
  const beyond = things
    .filter(({ element, box }) => visiblePart(element, box).right > clientWidth + ROUNDING)
    .map(({ element, box }) => fault('overflow', element, `ends at ${Math.round(box.right)} px`))
  const page = scrollWidth > clientWidth ? [`overflow: the page is ${scrollWidth} px wide`, ...beyond] : beyond
  const outside = things.flatMap(({ element, box }) => {
    const part = visiblePart(element, box)
    if (widthOf(part) <= 0 || heightOf(part) <= 0) return []
    const holder = boxesAround(element).find((around) => !isIn(part, boxOf(around), ROUNDING))
    return holder ? [fault('overflow', element, `leaves ${nameOf(holder)}`)] : []
  })
  return [...new Set([...page, ...outside])]
}

/** What is drawn around an element: everything above it with an edge or a ground of its own. */
function boxesAround(element: Element): Element[] {
  const found: Element[] = []
  for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
    const { isDrawn, isAside } = frameOf(at)
    if (at !== element && isDrawn) found.push(at)
    if (isAside) break
  }
  return found
}

const frameOf = remembered((element) => {
  const style = getComputedStyle(element)
  const hasEdge = ['Top', 'Left'].some((side) => {
    const key = `border${side}` as 'borderTop' | 'borderLeft'
    return Number.parseFloat(style[`${key}Width`]) > 0 && style[`${key}Style`] !== 'none'
  })
  const isBox = style.display !== 'inline' && !style.display.startsWith('table')
  return {
    isDrawn: isBox && (hasEdge || colorOf(style.backgroundColor).alpha > 0),
    isAside: style.position === 'absolute' || style.position === 'fixed',
  }
})

/** Text that ends where its box does, with no way to read the rest. */
function clipped(pieces: readonly Piece[], controls: readonly Control[]): string[] {
  const cut = pieces.flatMap(({ element, box }) => {
    for (let at: Element | null = element; at && at !== document.body; at = at.parentElement) {
      const style = getComputedStyle(at)
      const edges = boxOf(at)
      const hides = (axis: string) => axis === 'hidden' || axis === 'clip'
      // A hair too wide is enough for three dots.
      const spare = style.textOverflow === 'ellipsis' ? 0.1 : ROUNDING
      const isCut =
        (hides(style.overflowX) && (box.right > edges.right + spare || box.left < edges.left - spare)) ||
        (hides(style.overflowY) && (middleOf(box).y > edges.bottom || middleOf(box).y < edges.top))
      if (isCut) return at.closest('[title]') ? [] : [fault('clipped', element, `is cut off by ${nameOf(at)}`)]
      if (/auto|scroll/.test(style.overflowX + style.overflowY) || style.position === 'fixed') return []
    }
    return []
  })
  const inFields = controls.flatMap(({ element, shown, inside }) =>
    shown !== '' && textWidth(shown, element) > widthOf(inside) + ROUNDING && element.closest('[title]') === null
      ? [fault('clipped', element, `shows only a part of “${shown}”`)]
      : [],
  )
  return [...new Set([...cut, ...inFields])]
}

/** Tables that go on where nobody looks: nothing says that there are more columns to scroll to. */
const cutTables = (): string[] =>
  [...document.querySelectorAll('table')].filter(isShown).flatMap((table) => {
    const { right } = boxOf(table)
    const cutting = scrollersAround(table).find((around) => right > boxOf(around).right + ROUNDING)
    return cutting
      ? [
          fault(
            'clipped',
            table,
            `goes on for ${Math.round(right - boxOf(cutting).right)} px behind the edge of its scroller`,
          ),
        ]
      : []
  })

function scrollersAround(element: Element): Element[] {
  const found: Element[] = []
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement)
    if (/auto|scroll/.test(getComputedStyle(at).overflowX)) found.push(at)
  return found
}

function textWidth(text: string, element: Element): number {
  const ruler = document.createElement('canvas').getContext('2d')
  if (!ruler) return 0
  const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(element)
  ruler.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`
  return ruler.measureText(text).width
}

/** Text too near to its background to be read. What is switched off may be pale. */
export function faultsOfColors(): string[] {
  forget()
  const laid = laidGrounds()
  const found = piecesOf(document.body).flatMap(({ element, box }) => {
    if (element.closest(':disabled, [aria-disabled=true], [data-disabled=true]')) return []
    const part = visiblePart(element, box)
    if (widthOf(part) <= 0 || heightOf(part) <= 0) return []
    const style = getComputedStyle(element)
    const color = element instanceof SVGElement ? style.fill : style.color
    const ratio = contrast(color, element, backgroundBehind(element, middleOf(part), laid))
    const size = Number.parseFloat(style.fontSize)
    const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700)
    return ratio < (isLarge ? READABLE_LARGE : READABLE) - 0.01
      ? [fault('contrast', element, `has a contrast of ${ratio.toFixed(2)} : 1`)]
      : []
  })
  return [...new Set(found)]
}
