// Paths: the repository's root, and the Node 24 that comes with the packages.
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('..', import.meta.url))
export const nodeBinary = join(
  root,
  'node_modules/node/bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)

/** File with the results of a test run, for `scripts/report.mjs`. */
export const testReport = resolve(root, process.env['DAYBOOK_TEST_REPORT'] ?? '.cache/test-report.json')

/** The arguments of `wrangler dev` for an edge at that port of this machine, with its state in a folder. @param {Record<string, string | number>} flags */
export const devEdge = (flags) => [
  'node_modules/wrangler/bin/wrangler.js',
  'dev',
  ...toFlags({ 'inspector-port': 0, 'show-interactive-dev-session': false, 'log-level': 'error', ...flags }),
]

/** @param {Record<string, string | number | boolean>} flags */
export const toFlags = (flags) =>
  Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])

/** Keeps wrangler to itself: no telemetry, no banner, nothing written outside the repository. */
export const quietWrangler = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_LOG_PATH: '.state/log',
  WRANGLER_REGISTRY_PATH: '.state/registry',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
}
