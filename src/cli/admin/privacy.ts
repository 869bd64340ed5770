/**
 * `watchword privacy` exports or erases the data of one phone. The number is read from standard input, so that no shell
 * history or process list shows it.
 */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import type { Command } from 'commander'
import { z } from 'zod'
import { erasureLine } from '../../domain/operations/erasure'
import { linesOf } from '../../system/data-dir-files'
import { createTelemetry } from '../../system/telemetry'
import { type Erased, eraseDue, erasePhone, takeErasures } from '../../usecases/erase-phone'
import { type ExportDependencies, type ExportRequest, exportPhone } from '../../usecases/export-phone'
import { type CommonOptions, type Confirmable, confirm, onData, onDataCommand, removalCommand } from '../command'
import { adminOf, type Opened } from '../open'
import { Failure, print } from '../output'
import { adminCommand, group } from './build'

export const privacyCommands = () =>
  group('privacy', 'what is stored of one phone: tell it, or erase it', 'export --phone-file number.txt', {
    export: exportCommand,
    erase: eraseCommand,
    erased: adminCommand({
      summary: 'list erased phones as keyed hashes, for `privacy again`',
      examples: ['> erased.txt'],
      input: z.object({}),
      run: async ({ store }) => ({ erased: (await store.read.phones.erasures()).map(erasureLine) }),
      lines: ({ erased }) => [...erased],
    }),
    again: adminCommand({
      summary: 'erase the phones of such a list again, after a backup was restored',
      examples: ['erased.txt'],
      input: z.object({
        file: z
          .string()
          .describe('<file>  list, as `privacy erased` prints it and a data folder has it as watchword.erased'),
      }),
      run: async (admin, { file }) => {
        const lines = linesOf(file)
        if (lines.length === 0) throw new Failure('not_found', `There is no such list, or nothing in it: ${file}`)
        const deps = privacyOf(admin)
        const phones = await takeErasures(deps, lines)
        return { phones, ...(await eraseDue({ ...deps, isAlone: true })) }
      },
      lines: ({ phones, ...erased }) => [`Phones that were not known as erased: ${phones}.`, ...linesOfErased(erased)],
    }),
  })

interface PhoneOptions extends CommonOptions {
  phoneFile?: string
  app?: string
}

const ofPhone = (command: Command) =>
  command
    .option('--phone-file <file>', 'file with the number; without it the number is read from stdin')
    .option('--app <id>', 'of this app only (default: all apps)')

/** Longer than any phone number in any spelling. */
const NUMBER_MAX_BYTES = 1_024

/** The number is never an argument, because other users can read arguments. */
async function numberFrom({ phoneFile }: PhoneOptions): Promise<string> {
  const said = (phoneFile === undefined ? await fromStdin() : await shortText(createReadStream(phoneFile))).trim()
  if (said === '') throw new Failure('invalid', 'There is no number: give it on stdin, or with --phone-file')
  return said
}

async function fromStdin(): Promise<string> {
  if (!process.stdin.isTTY) return shortText(process.stdin)
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  return terminal.question('Phone number: ').finally(() => terminal.close())
}

/** A device may be endless, so only the beginning is read. */
async function shortText(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.length
    if (size > NUMBER_MAX_BYTES) throw new Failure('invalid', `A number has at most ${NUMBER_MAX_BYTES} bytes`)
  }
  return Buffer.concat(chunks).toString('utf8')
}

const privacyOf = (opened: Opened) => {
  const { numbering, idempotencyDays, liveRetentionDays } = opened.config
  const telemetry = createTelemetry({ log: opened.log })
  return { ...adminOf(opened), telemetry, numbering, idempotencyDays, liveRetentionDays, erasedFile: opened.erasedFile }
}

const exportCommand = () =>
  ofPhone(
    onDataCommand(
      'export',
      'export all data of one phone, as JSON',
      'privacy export --phone-file number.txt > export.json',
    ),
  ).action(async (options: PhoneOptions) => {
    await onData(options, async (opened) => {
      const phoneNumber = await numberFrom(options)
      await writeExport(privacyOf(opened), { phoneNumber, appId: options.app })
    })
  })

/** Streams the export, because it may not fit into memory. */
async function writeExport(deps: ExportDependencies, request: ExportRequest): Promise<void> {
  let separator = ''
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const { head, issues, next } = await exportPhone(deps, { ...request, after })
    if (head) await print(`${JSON.stringify(head).slice(0, -1)},"issues":[`)
    for (const issue of issues) {
      await print(`${separator}${JSON.stringify(issue)}`)
      separator = ',\n'
    }
    after = next
  }
  await print(']}\n')
}

const eraseCommand = () =>
  ofPhone(
    removalCommand(
      'erase',
      'erase the data of one phone; the ledger, locks and rate limits stay',
      'privacy erase --phone-file number.txt --yes',
    ),
  ).action(async (options: PhoneOptions & Confirmable) => {
    await onData(options, async (opened, output) => {
      const phoneNumber = await numberFrom(options)
      const where = options.app === undefined ? 'every app' : options.app
      await confirm(
        options,
        `Erase what ${where} has stored of ${phoneNumber}? A code it has is good no more. It cannot be undone.`,
      )
      const { number: _, ...erased } = await erasePhone(privacyOf(opened), { phoneNumber, appId: options.app })
      output(erased, linesOfErased(erased))
    })
  })

const linesOfErased = ({ issues, counted, events, isLogEmptied }: Erased): string[] => [
  `Erased: ${issues} issues, and ${events} events of webhooks about them.`,
  ...(counted > 0
    ? [
        `Of these issues ${counted} still count against limits or are being charged: what is left of them goes within days.`,
      ]
    : []),
  ...(isLogEmptied
    ? []
    : [
        'Another program reads or copies the write-ahead log, watchword.db-wal: what it holds of these issues goes when it begins anew.',
      ]),
]
