import './styles'
import { MantineProvider } from '@mantine/core'
import { ModalsProvider } from '@mantine/modals'
import { Notifications } from '@mantine/notifications'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queries } from './api'
import { frameWords } from './i18n/frame'
import { useWords } from './i18n/words'
import { router } from './router'
import { cssVariables, styleNonce, theme } from './theme'

function Console() {
  const say = useWords(frameWords)
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      cssVariablesResolver={cssVariables}
      getStyleNonce={() => styleNonce}
    >
      <QueryClientProvider client={queries}>
        <ModalsProvider
          labels={{ confirm: say.done, cancel: say.cancel }}
          modalProps={{ closeButtonProps: { 'aria-label': say.close } }}
        >
          <RouterProvider router={router} />
        </ModalsProvider>
        <Notifications position="bottom-right" />
      </QueryClientProvider>
    </MantineProvider>
  )
}

const place = document.getElementById('root')
if (place)
  createRoot(place).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  )
