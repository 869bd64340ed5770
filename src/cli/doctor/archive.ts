/** Whether what PostgreSQL puts aside arrives. Whether anybody runs `pg_dump`, nobody can see from here. */
import { findings, type SharedInstallation, type Wrong } from './finding'

export function checkArchive({ server: { archive } }: SharedInstallation) {
  const wrong: Wrong[] = [
    {
      state: 'problem',
      message: "PostgreSQL's archive takes nothing: there is no going back to any moment since.",
      advice: 'Look at pg_stat_archiver and at archive_command; what is not archived fills the disk.',
    },
  ]
  const otherwise = archive.isOn
    ? "PostgreSQL's archive takes what it is given. Keep WATCHWORD_SECRET apart from it."
    : 'PostgreSQL keeps no archive; whether pg_dump runs every night cannot be seen from here.'
  return findings('backups', archive.isOn && archive.isFailing ? wrong : [], otherwise)
}
