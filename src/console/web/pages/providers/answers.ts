/** What the server answers of carriers. */
import type { client } from '../../api'

export type ShownCarrier = Awaited<ReturnType<typeof client.carriers.list>>['providers'][number]
export type ShownRoute = Awaited<ReturnType<typeof client.carriers.routes>>['routes'][number]
