/** A short shake of the field with the error, for people who have not asked for less motion. */
export function shake(field: Element | null | undefined): void {
  // Unit tests run in places that have neither.
  if (!field?.animate || globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches) return
  const translate = ['0', '-0.375rem', '0.3125rem', '-0.1875rem', '0.125rem', '0']
  field.animate({ translate }, { duration: 320, easing: 'ease-out' })
}
