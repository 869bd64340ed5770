/** The interactive references: Scalar, embedded, with nothing loaded from outside. */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import scalarPath from '../../node_modules/@scalar/api-reference/dist/browser/standalone.js' with { type: 'file' }
import iconPath from './icon.svg' with { type: 'file' }

/** `script` begins the reference. */
const pageOf = (title: string, script: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="/docs/icon.svg">
<style>
:root { --scalar-custom-header-height: 40px }
nav {
  position: sticky; top: 0; z-index: 10; box-sizing: border-box; height: 40px; padding: 9px 20px; font: 14px/22px sans-serif;
  background: var(--scalar-background-1, Canvas); border-bottom: 1px solid var(--scalar-border-color, #8884);
}
nav a { margin-right: 16px; color: var(--scalar-color-1, LinkText) }
</style>
</head>
<body>
<nav><a href="/console">Console</a> <a href="/docs/guide">Guide</a></nav>
<div id="reference"></div>
<script src="/docs/scalar.js"></script>
<script src="${script}"></script>
</body>
</html>
`

/** Settings of Scalar: nothing is loaded from elsewhere, and nothing is told to anybody. */
const QUIET = `withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'direct',`

const START_ADMINISTRATION = `Scalar.createApiReference('#reference', {
  url: '/admin/v1/openapi.json',
  ${QUIET}
})
`

/** The reference's `Idempotency-Key`: Scalar inserts the time at each send, and shows that it does. */
const NEW_KEY = 'try-{{$isoTimestamp}}'

/** Begins the reference, with the page's origin and the secret test key that the console handed over. */
const QUICKSTART = `## Quickstart

Create a test key in the [console](/console/keys), and paste these lines into a shell:

\`\`\`sh
BASE={origin}/v1
KEY={key}
ANSWER=$(curl -s $BASE/issue -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: tour-$(date +%s)" -d '{"phoneNumber":"010-0000-0000","purpose":"signup"}')
echo "$ANSWER"
ISSUE=$(echo "$ANSWER" | cut -d '"' -f 4)
\`\`\`

Nothing is sent and nothing is billed. The right code for this number is \`000000\`:

\`\`\`sh
curl -s $BASE/verify -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"issueId":"'$ISSUE'","code":"000000"}'; echo
\`\`\`

[Getting started](/docs/guide/getting-started) goes on from here. [Errors](/docs/guide/errors) says what to do about each reason.

## Reference

`

/**
 * Telemetry, agents and fonts are off, since the page must work without internet. The console links here with a key behind the #. The
 * script fills the key in and removes it from the address; no server sees it. The example of an idempotency key would make the
 * second send a replay, so the reference gets a new one for each send. The download stays the description as published. In samples
 * for a shell the key is made at each run; in other languages it is made when the sample is shown.
 */
const START = `const token = /^#key=([ps]k_[0-9A-Za-z_]+)$/.exec(location.hash)?.[1] ?? ''
if (token) history.replaceState(null, '', location.pathname)
const scheme = token.startsWith('pk_') ? 'publicKey' : 'secretKey'
const quickstart = ${JSON.stringify(QUICKSTART)}.replace('{origin}', location.origin).replace('{key}', token.startsWith('sk_test_') ? token : 'sk_test_…')
const withNewKeys = (_, value) =>
  value?.name === 'Idempotency-Key'
    ? { ...value, example: '${NEW_KEY}', description: value.description + ' Here each send makes a new one; type your own to see a replay.' }
    : value
async function customFetch(request, options) {
  const response = await fetch(request, options)
  if (new URL(response.url).pathname !== '/v1/openapi.json') return response
  const description = JSON.parse(await response.text(), withNewKeys)
  const { info, components } = description
  info.description = quickstart + info.description
  const { Reason } = components.schemas
  Reason.description = Reason.description.replace(/^- \`(\\w+)\`/gm, '- [\`$1\`](/docs/guide/errors#$1)')
  return Response.json(description)
}
globalThis.withKey = (sample) =>
  sample
    ?.replace("--header 'Idempotency-Key: ${NEW_KEY}'", () => '--header "Idempotency-Key: try-$(date +%s)-$$-$RANDOM"')
    .replace('${NEW_KEY}', () => 'try-' + new Date().toISOString())
Scalar.createApiReference('#reference', {
  url: '/v1/openapi.json',
  customFetch,
  ${QUIET}
  authentication: { preferredSecurityScheme: scheme, securitySchemes: { [scheme]: { token } } },
})
`

const CONTENT_SECURITY_POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "frame-ancestors 'none'",
].join('; ')

/** Set before the bundled zod starts: otherwise it tests whether `eval` is allowed, which the policy reports. */
const WITHOUT_EVAL = 'globalThis.__zod_globalConfig = { jitless: true };\n'

/** The place in Scalar's code where a sample is written: it has no hook. `START` defines `withKey`. */
const SAMPLE_WRITTEN = /(?<=let \w+=)\w+\(\)\.print\([\w,]+\)/

let compressed: Promise<Uint8Array<ArrayBuffer>> | undefined

/** The script has 4 MB, so it is compressed once, off the event loop. */
function compressedScalar(): Promise<Uint8Array<ArrayBuffer>> {
  compressed ??= Bun.file(scalarPath)
    .text()
    .then((script) => promisify(gzip)(WITHOUT_EVAL + script.replace(SAMPLE_WRITTEN, 'globalThis.withKey($&)')))
    .then((bytes) => new Uint8Array(bytes))
  return compressed
}

const page = (title: string, script: string) =>
  new Response(pageOf(title, script), {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': CONTENT_SECURITY_POLICY },
  })

const script = (text: string) => new Response(text, { headers: { 'content-type': 'text/javascript; charset=utf-8' } })

/** The docs' resources, or undefined for any other path. */
export async function docs(path: string): Promise<Response | undefined> {
  switch (path) {
    case '/docs':
    case '/docs/':
      return page('Watchword API reference', '/docs/start.js')
    case '/docs/administration':
      return page('Watchword management API', '/docs/administration.js')
    case '/docs/icon.svg':
      return new Response(Bun.file(iconPath), { headers: { 'content-type': 'image/svg+xml' } })
    case '/docs/start.js':
      return script(START)
    case '/docs/administration.js':
      return script(START_ADMINISTRATION)
    case '/docs/scalar.js':
      return new Response(await compressedScalar(), {
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'content-encoding': 'gzip',
          'cache-control': 'public, max-age=86400',
        },
      })
    default:
      return undefined
  }
}
