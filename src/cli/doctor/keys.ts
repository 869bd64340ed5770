/** Live browser keys from before they were held to less: whoever finds one can send texts of their own. */

import { isActive } from '../../domain/access/api-key'
import { hasAllowances } from '../../domain/access/browser-key'
import { type Check, findings } from './finding'

export const checkKeys: Check = async ({ store: { read }, now }) => {
  const keys = (await Promise.all((await read.apps.all()).map(({ appId }) => read.keys.ofApp(appId)))).flat()
  const open = keys.filter((key) => isActive(key, now) && hasAllowances(key))
  return findings(
    'keys',
    open.map(({ keyId, appId, allows }) => ({
      state: 'warn',
      message: `The live browser key ${keyId} of ${appId} may ${allows.map((what) => MAY[what]).join(' and ')}.`,
      advice: `\`watchword key allow ${keyId}\` takes that back, where your pages do not need it.`,
    })),
    'No live browser key may set the sender or write texts of its own.',
  )
}

const MAY = { from: 'set the sender', text: 'write any text into template variables' } as const
