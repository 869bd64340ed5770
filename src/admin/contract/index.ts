/**
 * Administration, once: the console calls these procedures, the management API serves them under `/admin/v1`, and the command line
 * and files go by them. Each names the permission that an operator needs, what it reaches, and its route.
 */
import { apps, keys } from './apps'
import { carriers } from './carriers'
import { inbox, issues } from './issues'
import { wallet } from './money'
import { notices } from './notices'
import { operators } from './operators'
import { overview } from './overview'
import { privacy } from './privacy'
import { protection } from './protection'
import { relays } from './relays'
import { prices } from './reports'
import { templates } from './templates'
import { tokens } from './tokens'
import { audit, system, usage } from './usage'
import { webhooks } from './webhooks'

/** In the order of the reference. */
export const adminContract = {
  apps,
  keys,
  carriers,
  templates,
  webhooks,
  relays,
  wallet,
  issues,
  inbox,
  protection,
  overview,
  usage,
  prices,
  notices,
  operators,
  tokens,
  audit,
  privacy,
  system,
}

export type AdminContract = typeof adminContract
