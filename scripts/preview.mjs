// `npm run preview`: the inspector and its edge as `npm run deploy` publishes them, as one Worker with static files, on
// this machine until Ctrl-C. PREVIEW_PORT and PREVIEW_STATE say where.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildPage } from './build-page.mjs'
import { nodeBinary, quietWrangler, root } from './place.mjs'
import { host, readPort, requireFreePort } from './port.mjs'

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

const ownGroup = process.platform !== 'win32'
const child = spawn(
  nodeBinary,
  [
    ...['node_modules/wrangler/bin/wrangler.js', 'dev', '--assets', page, '--ip', host, '--port', `${port}`],
    ...['--inspector-port', '0', '--persist-to', resolve(state, 'edge')],
    ...['--show-interactive-dev-session', 'false', '--log-level', 'error'],
  ],
  {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: ownGroup,
    env: { ...process.env, ...quietWrangler },
  },
)

/** Ends wrangler, and workerd with it. @param {NodeJS.Signals} signal */
function stop(signal) {
  try {
    if (ownGroup && child.pid) process.kill(-child.pid, signal)
    else child.kill(signal)
  } catch {
    // already gone
  }
}

child.once('exit', (code) => {
  stop('SIGKILL')
  process.exit(code ?? 0)
})
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => stop('SIGTERM'))
}
// A signal that ends npm does not reach its script; then somebody else has become the parent.
const parent = process.ppid
if (process.env['npm_lifecycle_event']) setInterval(() => process.ppid !== parent && stop('SIGTERM'), 250)

const url = `http://${host}:${port}`
while (!(await fetch(`${url}/health`).catch(() => undefined))) await delay(100)
console.log(`\n  Page and edge, as published  ${url}\n\n  Ctrl-C stops them.\n`)
