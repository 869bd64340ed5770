import type { NextConfig } from 'next'

const config: NextConfig = {
  // This folder alone, whatever lies around it.
  turbopack: { root: import.meta.dirname },
}

export default config
