/** The proxies of `deploy/proxy`, as their recipes are written. */
import { describe, expect, test } from 'bun:test'
import { recipeOf } from '../support/proxies'

const linesOf = (name: string) =>
  recipeOf(name)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))

describe('as they are written', () => {
  test('nginx passes paths on untouched, and says itself who asks', () => {
    const lines = linesOf('nginx.conf')
    for (const line of [
      'proxy_pass http://watchword;',
      'proxy_set_header X-Forwarded-For $remote_addr;',
      'proxy_set_header Host $host;',
      'client_max_body_size 1m;',
    ])
      expect(lines).toContain(line)
    expect(lines.filter((line) => /^(rewrite|proxy_pass http:\/\/watchword\/)/.test(line))).toEqual([])
  })

  test('HAProxy passes paths on untouched, and says itself who asks', () => {
    const lines = linesOf('haproxy.cfg')
    expect(lines).toContain('http-request set-header X-Forwarded-For %[src]')
    expect(
      lines.filter((line) => /^(http-request (set-path|replace-path|normalize-uri)|option forwardfor)/.test(line)),
    ).toEqual([])
  })

  test('each sends again only what issues, which has a key of its own', () => {
    const nginx = recipeOf('nginx.conf')
    expect(nginx).toMatch(/location ~ \^\/v1\/\(issue\|rpc\/otp\/issue\)\$ \{[^}]*non_idempotent;/)
    expect(nginx.match(/non_idempotent;/g)).toHaveLength(1)
    expect(linesOf('Caddyfile').filter((line) => line.startsWith('lb_retry_match'))).toEqual([])
    expect(linesOf('haproxy.cfg')).toContain(
      'http-request disable-l7-retry unless { path /v1/issue /v1/rpc/otp/issue }',
    )
  })

  test('Caddy passes paths on untouched, and trusts nobody', () => {
    const lines = linesOf('Caddyfile')
    expect(lines).toContain('reverse_proxy 127.0.0.1:8787 {')
    expect(
      lines.filter((line) => /^(rewrite|uri|handle_path|route|trusted_proxies|header_up X-Forwarded)/.test(line)),
    ).toEqual([])
  })
})
