/** Entry of the bundle that the browser pages of the tests load. */
import * as client from '../../client'
import * as flow from '../../client/flow'

declare global {
  var watchword: typeof client & typeof flow
}

globalThis.watchword = { ...client, ...flow }
