/** Reads the JSON body of a page, up to 16 KB. */

/** More than any page sends. */
const MAX_BYTES = 16_384

/** Rejects with `RangeError` beyond 16 KB and with `SyntaxError` where it is no JSON. It then closes the source. */
export async function readJson(chunks: AsyncIterable<Uint8Array | string>): Promise<unknown> {
  const decoder = new TextDecoder()
  let [text, length] = ['', 0]
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > MAX_BYTES) throw new RangeError('The body is too large')
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
  }
  return JSON.parse(text + decoder.decode())
}

/** Some runtimes lack async iteration of streams. */
export async function* chunksOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel()
  }
}
