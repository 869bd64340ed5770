/** A worker thread that flushes a file to disk while another thread writes it (`flushedMeanwhile`). */
import { closeSync, fdatasyncSync, openSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

export interface Flushing {
  file: string
  /** One when the file is written. */
  ended: Int32Array
}

const EVERY_MS = 5

const { file, ended }: Flushing = workerData
let descriptor: number | undefined
while (Atomics.wait(ended, 0, 0, EVERY_MS) === 'timed-out') {
  try {
    descriptor ??= openSync(file, 'r')
    fdatasyncSync(descriptor)
  } catch {
    // The file is not there yet. A disk that fails is found by the thread that writes.
  }
}
// Not before: SQLite would lose its lock on the file.
if (descriptor !== undefined) closeSync(descriptor)
