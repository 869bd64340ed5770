import type { Generator } from './processes'
import type { Part } from './report'
export async function overload(_dir: string, _generator: Generator, _o: object = {}): Promise<Part> {
  throw new Error('soon')
}
