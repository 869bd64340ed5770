/** What a database is called. Apart from the pool: whoever says it need not load a driver. */

/** A URL without what nobody else may know. */
export function nameOf(text: string): string {
  const url = new URL(text)
  const path = url.searchParams.get('search_path')
  const user = url.username && `${url.username}@`
  return `postgres://${user}${url.host}${url.pathname}${path === null ? '' : `?search_path=${path}`}`
}
