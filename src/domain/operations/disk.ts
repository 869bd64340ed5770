/** Free space of the disk that holds the data folder. */

const MIB = 2 ** 20
/** The write-ahead log grows by as much before a checkpoint. */
const LOG_BYTES = 64 * MIB
const LITTLE_BYTES = 1_024 * MIB
/** From here on writes may fail within minutes. */
export const FULL_BYTES = 100 * MIB

/** All in bytes. */
export interface DiskUsage {
  free: number
  /** Sizes of the database and of its write-ahead log. */
  size: number
  log: number
  /** Free inodes. */
  files: number
}

/** A backup needs as much space as the database and its log; the log needs space to grow. In bytes. */
export const roomNeeded = ({ size, log }: Pick<DiskUsage, 'size' | 'log'>): number =>
  Math.max(LITTLE_BYTES, size + log + LOG_BYTES)

export const isShortOfSpace = (usage: Pick<DiskUsage, 'free' | 'size' | 'log'>): boolean =>
  usage.free < roomNeeded(usage)
