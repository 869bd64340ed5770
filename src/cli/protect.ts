/** `watchword app protect` and `app unlock`: what an owner decides about abuse. */
import { Option } from 'commander'
import { missing } from '../domain/error'
import { PROTECTION_MODES, type Protection, protectionOf } from '../domain/protection'
import { DAY_MS, SECOND_MS } from '../domain/value'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, onDataCommand, wholeNumber } from './command'
import { adminOf } from './open'

interface ProtectOptions extends CommonOptions {
  countries?: Protection['countries']
  open?: string[]
  close?: string[]
  resend?: number
  browserResend?: number
  lock?: 'day' | 'operator'
}

export const protectCommand = () =>
  onDataCommand(
    'protect',
    'show or decide where codes go to, how soon another one may follow, and how long a phone is locked',
    'app protect app_4k2m9x0c7q1z --open US JP --resend 30',
  )
    .argument('<appId>', 'app')
    .addOption(
      new Option('--countries <what>', 'what happens to codes for countries that are not open').choices([
        ...PROTECTION_MODES,
      ]),
    )
    .option(
      '--open [country...]',
      'where browser keys send to beside the app’s region; without a country: nowhere else',
    )
    .option('--close [country...]', 'where no key sends to; without a country: nowhere')
    .option('--resend <seconds>', 'how long secret keys wait before a next code for one phone and purpose', wholeNumber)
    .option('--browser-resend <seconds>', 'the same of browser keys', wholeNumber)
    .addOption(
      new Option('--lock <how long>', 'how long a phone is locked after a hundred wrong codes').choices([
        'day',
        'operator',
      ]),
    )
    .action((appId: string, options: ProtectOptions) =>
      onData(options, async (opened, output) => {
        const known = await opened.store.read.apps.find(appId)
        if (!known) throw missing('app', appId)
        const decided = decisionsOf(options, protectionOf(known))
        const protection = protectionOf(decided ? await administer.protectApp(adminOf(opened), appId, decided) : known)
        output({ appId, protection }, linesOf(known.region ?? opened.config.numbering.region, protection))
      }),
    )

export const unlockCommand = () =>
  onDataCommand(
    'unlock',
    'open a phone that wrong codes have locked, or keep waiting',
    'app unlock app_4k2m9x0c7q1z 010-1234-5678',
  )
    .argument('<appId>', 'app')
    .argument('<number>', 'its phone number')
    .action((appId: string, phoneNumber: string, options: CommonOptions) =>
      onData(options, async (opened, output) => {
        const { numbering } = opened.config
        const { wasWaiting } = await administer.unlockPhone({ ...adminOf(opened), numbering }, appId, phoneNumber)
        output({ appId, wasWaiting }, [
          wasWaiting ? 'Opened: it may get a code now' : 'It has had no wrong codes since its last right one',
        ])
      }),
    )

/** Undefined where nothing is to be changed. */
function decisionsOf(options: ProtectOptions, { resendMs }: Protection): Partial<Protection> | undefined {
  const { countries, open, close, resend, browserResend, lock } = options
  const seconds = {
    ...(resend !== undefined && { sk: resend * SECOND_MS }),
    ...(browserResend !== undefined && { pk: browserResend * SECOND_MS }),
  }
  const decided: Partial<Protection> = {
    ...(countries && { countries }),
    ...(open && { open: listOf(open) }),
    ...(close && { closed: listOf(close) }),
    ...(Object.keys(seconds).length > 0 && { resendMs: { ...resendMs, ...seconds } }),
    ...(lock && { lockMs: lock === 'day' ? DAY_MS : null }),
  }
  return Object.keys(decided).length > 0 ? decided : undefined
}

/** An option without a value is `true`. */
const listOf = (countries: string[] | true) =>
  countries === true ? [] : [...new Set(countries.map((country) => country.toUpperCase()))]

function linesOf(home: string, { countries, open, closed, resendMs, lockMs }: Protection): string[] {
  const where = [...new Set([home, ...open])].join(', ')
  return [
    `Browser keys send ${countries === 'watch' ? 'to every country' : `to ${where}`}, secret keys to every country.`,
    ...(closed.length > 0 ? [`No key sends to ${closed.join(', ')}.`] : []),
    `Another code for one phone and purpose: after ${resendMs.pk / SECOND_MS} s with browser keys, ${resendMs.sk / SECOND_MS} s with secret keys.`,
    `A phone is locked after a hundred wrong codes ${lockMs === null ? 'until an operator opens it' : 'for a day'}.`,
  ]
}
