/** The display name of a database. Apart from the pool, so that showing it does not load the driver. */

/** The URL without password and options. */
export function nameOf(text: string): string {
  const url = new URL(text)
  const path = url.searchParams.get('search_path')
  const user = url.username && `${url.username}@`
  return `postgres://${user}${url.host}${url.pathname}${path === null ? '' : `?search_path=${path}`}`
}
