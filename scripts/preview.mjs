// `npm run preview`: the inspector and its edge as `npm run deploy` publishes them, as one Worker with static files, on
// this machine until Ctrl-C. PREVIEW_PORT and PREVIEW_STATE say where.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildPage } from './build-page.mjs'
import { beginGuardedRun } from './guard/guarded-run.mjs'
import { nodeBinary, quietWrangler, root } from './place.mjs'
import { host, readPort, requireFreePort } from './port.mjs'

const stopDeadlineMs = 5_000

async function choosePort() {
  try {
    const chosen = readPort('PREVIEW_PORT', 4173)
    await requireFreePort('PREVIEW_PORT', chosen, 'published page', 'npm run preview')
    return chosen
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  }
}

const port = await choosePort()
const state = resolve(root, process.env['PREVIEW_STATE'] ?? '.state/preview')
const page = resolve(state, 'page')
buildPage(page)

const run = beginGuardedRun(() => void stop(0))
let isStopping = false

/** Ends wrangler and workerd, and this process. @param {number} exitCode */
async function stop(exitCode) {
  if (isStopping) return
  isStopping = true
  await run.end(stopDeadlineMs)
  process.exit(exitCode)
}

const flags = {
  assets: page,
  ip: host,
  port,
  'inspector-port': 0,
  'persist-to': resolve(state, 'edge'),
  'show-interactive-dev-session': false,
  'log-level': 'error',
}
const child = spawn(
  nodeBinary,
  [
    'node_modules/wrangler/bin/wrangler.js',
    'dev',
    ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]),
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own: a Ctrl-C in the terminal is for this process, which ends it in order.
    detached: process.platform !== 'win32',
    env: { ...process.env, ...quietWrangler, ...run.env },
  },
)
child.once('exit', (code) => void stop(code ?? 1))
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => void stop(0))
}

const url = `http://${host}:${port}`
while (!isStopping && !(await fetch(`${url}/health`).catch(() => undefined))) await delay(100)
if (!isStopping) console.log(`\n  Page and edge, as published  ${url}\n\n  Ctrl-C stops them.\n`)
