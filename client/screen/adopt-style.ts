/** Styles for the page or the shadow tree that a node is in. A strict policy of the page allows them, unlike `<style>`. */
const sheets = new Map<string, CSSStyleSheet>()

export function adoptStyle(place: Node, css: string): void {
  const sheet = sheets.get(css) ?? new CSSStyleSheet()
  if (!sheets.has(css)) sheet.replaceSync(css)
  sheets.set(css, sheet)
  const root = place.getRootNode() as Document | ShadowRoot
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
}
