// A stranger's app with every bundler in it: npm fetches them and what the package depends on, as it does for a stranger.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type App, requireTarball } from '../package/app.ts'

const bundlers = {
  next: '16.4.6',
  react: '19.3.1',
  'react-dom': '19.3.1',
  '@rspack/core': '2.3.2',
  webpack: '5.112.2',
  'webpack-dev-server': '6.1.0',
  parcel: '2.16.4',
  bun: '1.4.5',
}

export async function fetchApp(): Promise<App> {
  const path = await mkdtemp(join(tmpdir(), 'daybook-bundlers-'))
  const app = { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
  await cp(fileURLToPath(new URL('app', import.meta.url)), path, { recursive: true })
  for (const file of ['main.js', 'inspected.js'])
    await cp(fileURLToPath(new URL(`../package/app/${file}`, import.meta.url)), join(path, file))
  const dependencies = { ...bundlers, daybook: `file:${requireTarball()}` }
  const manifest = { name: 'app', private: true, type: 'module', dependencies }
  await writeFile(join(path, 'package.json'), JSON.stringify(manifest))
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund'], { cwd: path })
  return app
}
