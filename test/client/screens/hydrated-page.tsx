/** The page of somebody whose server renders it first; both have this. */
import { hydrateRoot } from 'react-dom/client'
import { PhoneVerification } from '../../../client/react'
import { en } from '../../../client/texts'

const never = () => new Promise<never>(() => {})

export const screen = (
  <PhoneVerification
    transport={{ issue: never, verify: never }}
    purpose="signup"
    country="KR"
    texts={en}
    storage={globalThis.sessionStorage}
  />
)

if ('document' in globalThis) hydrateRoot(document.body, screen)
