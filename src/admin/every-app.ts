import type { AdminClient } from './client'

/** All apps that the caller sees. In pages, so that a server with thousands of them answers others between two. */
export async function everyApp(client: Pick<AdminClient, 'apps'>) {
  let { apps, next, ...shared } = await client.apps.list({ limit: 200 })
  while (next !== undefined) {
    const page = await client.apps.list({ after: next, limit: 200 })
    apps = [...apps, ...page.apps]
    next = page.next
  }
  return { apps, ...shared }
}
