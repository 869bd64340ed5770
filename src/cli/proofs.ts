/** `watchword app proofs`: what the proof of a verification says. */
import { Option } from 'commander'
import * as administer from '../usecases/administer'
import { type CommonOptions, onData, onDataCommand } from './command'
import { adminOf } from './open'

export const proofsCommand = () =>
  onDataCommand(
    'proofs',
    'show or decide whether proofs of verification say what an issue’s metadata is; a browser that verifies reads it then',
    'app proofs app_4k2m9x0c7q1z --metadata on',
  )
    .argument('<appId>', 'app')
    .addOption(new Option('--metadata <state>', 'whether proofs say it').choices(['on', 'off']))
    .action((appId: string, { metadata, ...options }: CommonOptions & { metadata?: 'on' | 'off' }) =>
      onData(options, async (opened, output) => {
        const { provesMetadata = false } = metadata
          ? await administer.setProvesMetadata(adminOf(opened), appId, metadata === 'on')
          : await administer.existingApp(opened, appId)
        output({ appId, metadata: provesMetadata }, [
          provesMetadata ? 'Proofs say what the metadata of their issue is.' : 'Proofs say nothing of metadata.',
        ])
      }),
    )
