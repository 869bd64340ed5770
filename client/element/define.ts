import { WatchwordVerify } from './element'

/** Once; under another name, too, where that one is taken. Where there are no elements, as on a server, nothing is done. */
export function define(name = 'watchword-verify'): void {
  if (!globalThis.customElements || customElements.get(name)) return
  // A class has one name.
  customElements.define(name, class extends WatchwordVerify {})
}
