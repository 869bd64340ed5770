/** The clock of this machine, held against the database's. */
import { findings, type SharedInstallation, type Wrong } from './finding'

const TOLERANCE_MS = 2_000

export function checkClocks({ server: { clockLead } }: SharedInstallation) {
  const { ms, within } = clockLead
  const differs = Math.abs(ms) - within > TOLERANCE_MS
  const seconds = `${(Math.abs(ms) / 1_000).toFixed(1)} s ${ms > 0 ? 'ahead of' : 'behind'}`
  const wrong: Wrong[] = [
    {
      state: 'warn',
      message: `The clock of this machine is ${seconds} the database's, by which codes expire and limits count.`,
      advice: 'Set both by NTP (timedatectl): logs, and signatures for carriers, go by the clock of the machine.',
    },
  ]
  const otherwise = `This machine and the database agree to ${Math.max(1, Math.abs(ms) + within)} ms.`
  return findings('clocks', differs ? wrong : [], otherwise)
}
