/** Where the interface lies, over REST and over RPC. */
export const API_PREFIX = '/v1'
export const RPC_PREFIX = '/v1/rpc/otp'

export const isRpc = (path: string) => path.startsWith(`${RPC_PREFIX}/`)
