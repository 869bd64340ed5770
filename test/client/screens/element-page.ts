/** The page of somebody who uses the element. */
import type { WatchwordVerify } from '../../../client/element'
import '../../../client/element'
import { asked, format, tell } from './page'

const screen = document.createElement('watchword-verify') as WatchwordVerify
for (const [name, value] of asked) screen.setAttribute(name, value)
if (asked.has('format')) screen.format = format
for (const type of ['statechange', 'verified', 'failed'] as const)
  screen.addEventListener(type, ({ detail }) => tell(type, detail))
document.querySelector('form')?.append(screen)
globalThis.leave = () => screen.remove()
