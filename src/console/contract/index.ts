/**
 * The console's own interface, under `/console/rpc`: cookies, never API keys. Each procedure names the permission its
 * caller needs; `domain/role.ts` says which role has it.
 */
import { operators, session } from './access'
import { apps, keys } from './apps'
import { carriers } from './carriers'
import { inbox, issues } from './issues'
import { live } from './live'
import { wallet } from './money'
import { notices } from './notices'
import { overview } from './overview'
import { privacy } from './privacy'
import { protection } from './protection'
import { relays } from './relays'
import { prices, reportTokens } from './reports'
import { templates } from './templates'
import { audit, system, usage } from './usage'
import { webhooks } from './webhooks'

export const consoleContract = {
  session,
  operators,
  apps,
  keys,
  relays,
  issues,
  inbox,
  wallet,
  templates,
  webhooks,
  carriers,
  overview,
  usage,
  prices,
  reportTokens,
  protection,
  audit,
  privacy,
  system,
  live,
  notices,
}

export type ConsoleContract = typeof consoleContract
