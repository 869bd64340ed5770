/** `watchword secret` shows the source of the master secret and rotates it. */
import type { Command } from 'commander'
import { systemClock } from '../system/clock'
import { keyFileIn, nextKeyFile, placeNextKeyFile, secretIn } from '../system/secret'
import { beginRotation, finishRotation, isUnderWay, renewAll } from '../usecases/rotate-secret'
import { type CommonOptions, command, onData, onDataCommand } from './command'
import { adminOf, type Opened, open } from './open'
import { Failure, iso, outputFor } from './output'

export function secretCommands(): Command {
  const secret = command('secret', 'the master secret: its source and its rotation', 'secret status')
  secret.addCommand(statusCommand())
  secret.addCommand(rotateCommand())
  return secret
}

const statusCommand = () =>
  onDataCommand(
    'status',
    'show the source of the master secret and the progress of a rotation',
    'secret status',
  ).action((options: CommonOptions) =>
    onData(options, async ({ config, store, vault }, output) => {
      const rows = await store.read.keyRing.all()
      const secret = config.secret?.setting ?? keyFileIn(config.dataDir)
      const changed = rows.find(({ name }) => name === `root ${vault.ring.generation}`)?.begunAt
      const [underWay, older] = [isUnderWay(rows), await store.read.keyRing.older()]
      const when = changed ? `It was changed ${iso(changed)}.` : 'It was never changed.'
      output({ secret, changedAt: changed ? iso(changed) : null, underWay, isNew: vault.ring.isNewest, older }, [
        `${secret} opens the database. ${when}`,
        ...(underWay ? [`A change is under way: ${older} rows to be sealed anew. ${nextOf(vault.ring.isNewest)}`] : []),
      ])
    }),
  )

const nextOf = (isNewest: boolean) =>
  isNewest
    ? 'Once every server runs with this secret: `watchword secret rotate --finish`.'
    : 'This is the old secret: restart each server with the new one, then `watchword secret rotate --finish`.'

interface RotateOptions extends CommonOptions {
  newFile?: string
  finish?: boolean
}

const rotateCommand = () =>
  onDataCommand(
    'rotate',
    'rotate the master secret while servers run: re-encrypts what it seals; continues where it was interrupted',
    'secret rotate',
    'secret rotate --new-file new.secret',
    'secret rotate --finish',
  )
    .option('--new-file <file>', 'file with the new secret, if the settings name the source of the old one')
    .option('--finish', 'invalidate the old secret; every server must run with the new one')
    .action(async (options: RotateOptions) => {
      const opened = await openBy(options)
      const isOwn = opened.config.secret === undefined
      await closing(opened, () => (isOwn ? beginInFolder(opened, options) : beginOrFinish(opened, options)))
      if (isOwn) await endInFolder(options)
    })

const openBy = ({ data }: CommonOptions) => open({ DATA: data, LOG_LEVEL: 'warn' })

async function closing<T>({ store }: Opened, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await store.close()
  }
}

/** Longer than the interval at which servers reload settings. */
const HEARD_WITHIN_MS = 3_000

const rotationOf = (opened: Opened) => ({
  ...adminOf(opened),
  proofs: opened.config.proofs,
  async heard() {
    const nodes = await opened.store.read.nodes()
    if (nodes.length > 0) await new Promise<void>((resolve) => systemClock.after(HEARD_WITHIN_MS, resolve))
  },
})

/** The key file of the data folder. */
async function beginInFolder(opened: Opened, { newFile, finish }: RotateOptions): Promise<void> {
  const { dataDir } = opened.config
  if (newFile !== undefined || finish)
    throw new Failure(
      'invalid',
      `The secret is ${keyFileIn(dataDir)}: \`secret rotate\` makes the new one, and finishes`,
    )
  // A killed rotation may have already replaced the file.
  if (opened.vault.ring.isNewest && isUnderWay(await opened.store.read.keyRing.all())) return
  await beginRotation(rotationOf(opened), nextKeyFile(dataDir))
  if (!placeNextKeyFile(dataDir))
    throw new Failure('conflict', 'Another `secret rotate` has just changed the secret: see `watchword secret status`')
}

async function endInFolder(options: RotateOptions): Promise<void> {
  const opened = await openBy(options)
  await closing(opened, () => finishRotation(rotationOf(opened)))
  const file = keyFileIn(opened.config.dataDir)
  outputFor(options.json)({ secret: file, finished: true, older: 0 }, [
    `${file} is new; the old one opens nothing any more but copies from before. Back it up.`,
  ])
}

/** Every server reads the secret from its own settings. */
async function beginOrFinish(opened: Opened, { newFile, finish, json }: RotateOptions): Promise<void> {
  const { config, store, vault } = opened
  const setting = config.secret?.setting
  if (finish) {
    await finishRotation(rotationOf(opened))
    outputFor(json)({ secret: setting, finished: true, older: 0 }, [
      'The old secret opens nothing any more but copies from before.',
    ])
    return
  }
  if (newFile !== undefined) await beginRotation(rotationOf(opened), secretIn(newFile, '--new-file'))
  else if (!isUnderWay(await store.read.keyRing.all()))
    throw new Failure('invalid', '--new-file: say which file holds the new secret')
  const older = await renewAll(rotationOf(opened))
  outputFor(json)({ secret: setting, finished: false, older }, [
    'Either secret opens the database now, and what is sealed is sealed anew.',
    nextOf(vault.ring.isNewest),
  ])
}
