/** Telemetry that nobody reads. */
import { createTelemetry } from '../../src/system/telemetry'

export const UNTOLD = createTelemetry({ log: { debug() {}, info() {}, warn() {}, error() {} } })
