/** The used part of the parser of `node:http`. */
declare module 'node:_http_common' {
  export class HTTPParser {
    static readonly RESPONSE: number
    static readonly kOnMessageBegin: 0
    static readonly kOnHeaders: 1
    static readonly kOnHeadersComplete: 2
    static readonly kOnBody: 3
    static readonly kOnMessageComplete: 4
    0: () => void
    1: (pairs: string[]) => void
    2: (
      major: number,
      minor: number,
      pairs: string[] | undefined,
      method: undefined,
      url: undefined,
      status: number,
      text: string,
      isOther: boolean,
      staysOpen: boolean,
    ) => number
    3: (chunk: Uint8Array) => void
    4: () => void
    initialize(type: number, resource: object, maxHeaderBytes: number): void
    execute(bytes: Uint8Array): number | Error
    finish(): Error | undefined
  }
}
