/** The page of somebody who uses React. */
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { createOtpClient } from '../../../client'
import { PhoneVerification } from '../../../client/react'
import type { Texts } from '../../../client/texts'
import * as texts from '../../../client/texts'
import { asked, format, tell } from './page'

const transport = createOtpClient({ baseUrl: asked.get('url') ?? '', apiKey: asked.get('key') ?? '' })
const place = document.querySelector('#place')
if (!place) throw new Error('No place')
const root = createRoot(place)
const textsOf = (lang: string) => (texts as unknown as Record<string, Texts>)[lang] ?? texts.en
root.render(
  <StrictMode>
    <PhoneVerification
      transport={transport}
      purpose={asked.get('purpose') ?? ''}
      storage={sessionStorage}
      country={asked.get('country') ?? ''}
      language={asked.get('lang') ?? undefined}
      format={asked.has('format') ? format : undefined}
      theme={asked.get('theme') as 'light' | 'dark' | undefined}
      preset={asked.get('preset') ?? undefined}
      consent={asked.has('consent')}
      channels={(asked.get('channels')?.split(' ') ?? []) as Array<'sms' | 'alimtalk'>}
      texts={textsOf(asked.get('lang') ?? '')}
      onVerified={(state) => tell('verified', state)}
      onFailed={(state) => tell('failed', state)}
    />
  </StrictMode>,
)
globalThis.leave = () => root.unmount()
