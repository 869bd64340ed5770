/** Small choices in `localStorage`. In private windows, which may forbid it, they last as long as the page. */
export function kept(name: string): { get(): string | undefined; set(value: string): void } {
  const key = `watchword.${name}`
  let here: string | undefined
  return {
    get() {
      try {
        return localStorage.getItem(key) ?? here
      } catch {
        return here
      }
    },
    set(value) {
      here = value
      try {
        localStorage.setItem(key, value)
      } catch {}
    },
  }
}
