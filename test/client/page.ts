/** Entry of the bundle that the browser pages of the tests load. */
import * as client from '../../client'

declare global {
  var watchword: typeof client
}

globalThis.watchword = client
