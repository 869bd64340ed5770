/**
 * `bun run platforms [name] [folder]`: Supabase Auth, Ory Kratos and Logto, built from their source, sign users in with codes that a
 * relay delivers. Without a folder of the source they are cloned from GitHub. It needs git, Go, and for Logto Node 22 and rsync. It
 * takes minutes; that is why it is no part of CI.
 */
import { newFolder } from '../binary/support'
import { kratos } from './kratos'
import { logto } from './logto'
import { supabase } from './supabase'

const PLATFORMS = { supabase, kratos, logto }

const [asked, folder] = process.argv.slice(2)
for (const [name, play] of Object.entries(PLATFORMS)) {
  if (asked !== undefined && asked !== name) continue
  const place = newFolder()
  try {
    await play(folder, place.path, (promise) => void process.stdout.write(`kept  ${name}: ${promise}\n`))
  } finally {
    place.remove()
  }
}
