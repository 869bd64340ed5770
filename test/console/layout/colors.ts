/** How well text can be told from what is behind it, as WCAG counts it. */
import { type Box, isIn } from './box'
import { boxOf, layerOf, remembered } from './pieces'

export interface Color {
  red: number
  green: number
  blue: number
  /** From 0 to 1. */
  alpha: number
}

const known = new Map<string, Color>()
const canvas = document.createElement('canvas')
canvas.width = canvas.height = 1
const pencil = canvas.getContext('2d', { willReadFrequently: true })

/** Any colour that CSS can write, as the browser paints it. */
export function colorOf(written: string): Color {
  const before = known.get(written)
  if (before) return before
  if (!pencil) throw new Error('Nothing to paint with')
  pencil.clearRect(0, 0, 1, 1)
  pencil.fillStyle = written
  pencil.fillRect(0, 0, 1, 1)
  const [red = 0, green = 0, blue = 0, alpha = 0] = pencil.getImageData(0, 0, 1, 1).data
  const color = { red, green, blue, alpha: alpha / 255 }
  known.set(written, color)
  return color
}

const over = (top: Color, bottom: Color): Color => ({
  red: top.red * top.alpha + bottom.red * (1 - top.alpha),
  green: top.green * top.alpha + bottom.green * (1 - top.alpha),
  blue: top.blue * top.alpha + bottom.blue * (1 - top.alpha),
  alpha: 1,
})

const opacityOf = remembered((element): number => {
  const opacity = Number(getComputedStyle(element).opacity)
  return element.parentElement ? opacity * opacityOf(element.parentElement) : opacity
})

const groundOf = remembered((element) => colorOf(getComputedStyle(element).backgroundColor))

/** What may lie under a neighbour's text, as the mark of a chosen segment does. */
export const laidGrounds = (): Element[] =>
  [...document.body.querySelectorAll('*')].filter((element) => {
    const { position } = getComputedStyle(element)
    return position === 'absolute' && groundOf(element).alpha > 0
  })

/** Whatever is painted under a point of an element: the grounds of all around it, and what is laid between them. */
export function backgroundBehind(
  element: Element,
  { x, y }: { x: number; y: number },
  laid: readonly Element[],
): Color {
  const point: Box = { left: x, right: x, top: y, bottom: y }
  const layer = layerOf(element)
  const between = laid.filter(
    (other) =>
      isBefore(other, element) && !other.contains(element) && layerOf(other) === layer && isIn(point, boxOf(other), 0),
  )
  const around: Element[] = []
  for (let at: Element | null = element; at; at = at.parentElement) around.push(at)
  const grounds = [...around, ...between].sort((a, b) => (isBefore(a, b) ? -1 : 1))
  const paper = colorOf(getComputedStyle(document.documentElement).colorScheme === 'dark' ? '#000' : '#fff')
  return grounds.reduce((below, ground) => {
    const color = groundOf(ground)
    return over({ ...color, alpha: color.alpha * opacityOf(ground) }, below)
  }, paper)
}

const isBefore = (one: Element, other: Element) =>
  Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)

function luminance({ red, green, blue }: Color): number {
  const linear = (value: number) => {
    const share = value / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/** From 1, the same, to 21, black on white. */
export function contrast(written: string, element: Element, background: Color): number {
  const color = colorOf(written)
  const text = luminance(over({ ...color, alpha: color.alpha * opacityOf(element) }, background))
  const ground = luminance(background)
  return (Math.max(text, ground) + 0.05) / (Math.min(text, ground) + 0.05)
}
