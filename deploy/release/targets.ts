/** What is released: a binary for each of these platforms, made of the Bun that npm has for it. */

export interface Target {
  /** As files are named by it, and as Bun does behind `bun-`. */
  name:
    | 'linux-x64'
    | 'linux-arm64'
    | 'linux-x64-musl'
    | 'linux-arm64-musl'
    | 'darwin-x64'
    | 'darwin-arm64'
    | 'windows-x64'
  /** Bun for it, from the npm registry, and what the bytes of that package add up to (Bun itself would look at neither). */
  runtime: { name: string; integrity: string }
  /** `tested`: all tests run on it. `emulated`: `release --check` starts it where QEMU is. `never`: it was built here, and that is all. */
  run: 'tested' | 'emulated' | 'never'
  /** What Debian calls it, where there is a package for it. */
  debian?: string
}

export const TARGETS: readonly Target[] = [
  {
    name: 'linux-x64',
    runtime: {
      name: '@oven/bun-linux-x64',
      integrity: 'sha512-IWX9BELoGHAUtMonkeSaNaZwXzRk+oDw6Mk+HBFXd3KHYIBNBsIGRupMZPcgNoDbJpLu6gAJjIoIVPZtt1aJ1g==',
    },
    run: 'tested',
    debian: 'amd64',
  },
  {
    name: 'linux-arm64',
    runtime: {
      name: '@oven/bun-linux-aarch64',
      integrity: 'sha512-4BXmsSKnjOrlGWqZV4x/oWa7AVoR+B6lCXddMzOAXBIm3t50eslg9wb66gmtW1AamEQ1l1CDvmmruysEhqOWMg==',
    },
    run: 'emulated',
    debian: 'arm64',
  },
  {
    name: 'linux-x64-musl',
    runtime: {
      name: '@oven/bun-linux-x64-musl',
      integrity: 'sha512-10QoW/YfTgnURaGEaHpJCiXjLI2e5iTtfVDaA5JKcyUzaa1cq6cVUY9/Uq5XkYzvtRjHLRe9Oj/lTDIQcxy8HQ==',
    },
    run: 'never',
  },
  {
    name: 'linux-arm64-musl',
    runtime: {
      name: '@oven/bun-linux-aarch64-musl',
      integrity: 'sha512-XCNc+WvvMAdNNb+OWTogpy+N9wm62fkVeEVLb6how0RZhW5LPi6c7BlkeVCuWps7XjEl2saFpHFa20/1E+PAHg==',
    },
    run: 'never',
  },
  {
    name: 'darwin-x64',
    runtime: {
      name: '@oven/bun-darwin-x64',
      integrity: 'sha512-qkLPMGHZM9NI6CeHTWwVezzmlo6cC4Ta7yUAjYIWXS366qQcOlcp75t2uZyiuVRBMPS0h9qE0tCcvCHGaFqjJg==',
    },
    run: 'never',
  },
  {
    name: 'darwin-arm64',
    runtime: {
      name: '@oven/bun-darwin-aarch64',
      integrity: 'sha512-4MIFXHmctH2EhAxLXm2/qxNtv17dFtLJylvaOCsrgq6KSqHTs6eW5YSrJjRbJxYUJaR901fsN8JfZOa+CsWpWQ==',
    },
    run: 'never',
  },
  {
    name: 'windows-x64',
    runtime: {
      name: '@oven/bun-windows-x64',
      integrity: 'sha512-FNvply651vcE/GHgNWz6mZvhmkwBuu8Hw54oNzA+CQog+HW+542rXQmZqNHRkFxazD9L3xi+iTtvO3engAgJfw==',
    },
    run: 'never',
  },
]

export const isWindows = ({ name }: Target): boolean => name.startsWith('windows')
