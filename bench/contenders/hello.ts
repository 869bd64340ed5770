/** The smallest server: what starting Bun, and nothing else, takes. */
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('hello') })
process.stdout.write(`${JSON.stringify({ event: 'listening', url: `http://127.0.0.1:${server.port}` })}\n`)
