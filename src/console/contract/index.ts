/**
 * The console's own interface, under `/console/rpc`: administration, with what only people at a page need. Cookies open it, API
 * keys never.
 */
import { adminContract } from '../../admin/contract'
import { live } from './live'
import { session } from './session'

export const consoleContract = { ...adminContract, session, live }

export type ConsoleContract = typeof consoleContract
