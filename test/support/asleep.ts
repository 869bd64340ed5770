/** What administration needs of a server, where none runs beside it. */
import type { Node } from '../../src/ports/node'

export const ASLEEP: Pick<Node, 'wakeUps'> = { wakeUps: { wake() {}, subscribe() {} } }
