/** Rectangles in pixels of the viewport. */
export interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

export const widthOf = ({ left, right }: Box) => right - left
export const heightOf = ({ top, bottom }: Box) => bottom - top
export const middleOf = ({ left, top, right, bottom }: Box) => ({ x: (left + right) / 2, y: (top + bottom) / 2 })

export const meet = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left),
  top: Math.max(a.top, b.top),
  right: Math.min(a.right, b.right),
  bottom: Math.min(a.bottom, b.bottom),
})

export function overlapOf(a: Box, b: Box): { width: number; height: number } {
  const common = meet(a, b)
  return { width: widthOf(common), height: heightOf(common) }
}

export const isIn = (inner: Box, outer: Box, tolerance: number) =>
  inner.left >= outer.left - tolerance &&
  inner.right <= outer.right + tolerance &&
  inner.top >= outer.top - tolerance &&
  inner.bottom <= outer.bottom + tolerance
