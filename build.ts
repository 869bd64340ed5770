/** `bun run build`: one file, `dist/watchword`, with migrations, docs and everything else inside. */
import { $ } from 'bun'

const target = process.argv[2]
const result = await Bun.build({
  entrypoints: ['src/main.ts'],
  // The binary reads nothing of the folder it is started in but its data folder.
  compile: {
    outfile: 'dist/watchword',
    autoloadBunfig: false,
    autoloadDotenv: false,
    ...(target && { target: target as 'bun-linux-x64' }),
  },
  minify: true,
  bytecode: true,
  format: 'esm',
  define: { 'process.env.NODE_ENV': '"production"' },
})
if (!result.success) throw new AggregateError(result.logs, 'the build failed')
await $`ls -lh dist/watchword`
