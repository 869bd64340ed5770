/** What somebody hears who does not see the page: what comes into its live regions, without what is hidden from them. */
import type { Page } from 'playwright-core'

declare global {
  var sentences: string[]
}

export const listen = (page: Page): Promise<void> =>
  page.evaluate(() => {
    globalThis.sentences = []
    const textOf = (node: Node): string => {
      if (node instanceof Text) return node.data
      if (node instanceof Element && node.getAttribute('aria-hidden') === 'true') return ''
      return [...node.childNodes].map(textOf).join('')
    }
    const isHidden = (node: Node) =>
      (node instanceof Element ? node : node.parentElement)?.closest('[aria-hidden=true]')
    const roots = [document, ...[...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => shadowRoot ?? [])]
    for (const region of roots.flatMap((root) => [...root.querySelectorAll('[role=status], [role=alert]')]))
      new MutationObserver((changes) => {
        const text = textOf(region).trim()
        if (text !== '' && changes.some(({ target }) => !isHidden(target))) globalThis.sentences.push(text)
      }).observe(region, { childList: true, characterData: true, subtree: true })
  })

export const heard = (page: Page): Promise<string[]> => page.evaluate(() => globalThis.sentences)
