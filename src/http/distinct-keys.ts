/** Which key of a JSON text is there twice. */
import { visit } from 'jsonc-parser'
import { invalid } from '../domain/shared/error'

/** Names the offending key; to be called once one is known to exist. */
export function assertDistinctKeys(text: string): void {
  const open: Array<Set<string>> = []
  let offender: string | undefined
  visit(text, {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name, _offset, _length, _line, _column, path) {
      const seen = open.at(-1)
      if (name === '__proto__' || seen?.has(name)) offender ??= [...path(), name].join('.')
      seen?.add(name)
    },
  })
  const param = (offender ?? 'body').slice(0, 64)
  if (offender?.endsWith('__proto__')) throw invalid(param, 'unknown_field', 'a key of this name is not allowed')
  throw invalid(param, 'duplicate_field', 'this key is given twice')
}
