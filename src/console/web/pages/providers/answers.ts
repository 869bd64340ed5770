/** What the server answers of carriers. */
import type { client } from '../../api'

export type Carrier = Awaited<ReturnType<typeof client.carriers.list>>['providers'][number]
export type Route = Awaited<ReturnType<typeof client.carriers.routes>>['routes'][number]
