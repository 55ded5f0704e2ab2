// `npm start`: the edge (workerd through wrangler, no account) and the demo (Vite) side by side, until Ctrl-C.
// Both ports are checked before anything starts; when one of the two dies the other is stopped with it, and so are both when this dies.
import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { beginGuardedRun } from './guard/guarded-run.mjs'
import { nodeBinary, quietWrangler, root } from './place.mjs'
import { host, readPort, requireFreePort } from './port.mjs'

const startDeadlineMs = 60_000
const stopDeadlineMs = 5_000
const watchEveryMs = 3_000

/** The two ports, or one plain line and nothing started. */
async function choosePorts() {
  try {
    const demo = readPort('DEMO_PORT', 5173)
    const edge = readPort('EDGE_PORT', 8787)
    if (demo === edge) throw new Error(`DEMO_PORT and EDGE_PORT are both ${demo}; they must differ.`)
    await requireFreePort('DEMO_PORT', demo, 'demo')
    await requireFreePort('EDGE_PORT', edge, 'edge')
    return { demo, edge }
  } catch (error) {
    console.error(`\n${error instanceof Error ? error.message : error}\n`)
    process.exit(1)
  }
}

const port = await choosePorts()
const demoUrl = `http://${host}:${port.demo}`
const edgeUrl = `http://${host}:${port.edge}`
const key = process.env['DAYBOOK_KEY']
// The edge would let nobody in with it (src/core/address.ts).
if (key?.split(/[\s,]+/).some((one) => one.length > 0 && one.length < 16)) {
  console.error('\nDAYBOOK_KEY has fewer than 16 characters; set a longer one, or none.\n')
  process.exit(1)
}
const edgeState = process.env['EDGE_STATE'] ?? '.state/edge'

const run = beginGuardedRun(() => void stopAll(0))
let stopping = false

/** @param {number} exitCode */
async function stopAll(exitCode) {
  if (stopping) return
  stopping = true
  await run.end(stopDeadlineMs)
  process.exit(exitCode)
}

/** @param {Record<string, string | number | boolean>} flags */
const toFlags = (flags) => Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])

/** @param {string} name @param {string[]} args @param {Record<string, string>} env */
function launch(name, args, env) {
  const child = spawn(nodeBinary, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // A group of its own: a Ctrl-C in the terminal is for this process, which ends them in order.
    detached: process.platform !== 'win32',
    env: { ...process.env, ...env, ...run.env },
  })
  child.once('exit', (code, signal) => {
    if (stopping) return
    console.error(
      `\nThe ${name} stopped by itself (${signal ?? `exit code ${code}`}); stopping everything.\n`,
    )
    void stopAll(1)
  })
}

/** @param {string} url @param {string} what */
async function waitFor(url, what) {
  const deadline = Date.now() + startDeadlineMs
  while (Date.now() < deadline && !stopping) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    if (answer) return
    await delay(100)
  }
  if (stopping) return
  console.error(`\nThe ${what} did not answer at ${url} within ${startDeadlineMs / 1000} s; stopping.\n`)
  await stopAll(1)
}

process.on('SIGINT', () => void stopAll(0))
process.on('SIGTERM', () => void stopAll(0))
process.on('SIGHUP', () => void stopAll(0))

launch(
  'edge',
  [
    'node_modules/wrangler/bin/wrangler.js',
    'dev',
    ...toFlags({ ip: host, port: port.edge, 'inspector-port': 0, 'persist-to': edgeState }),
    ...toFlags({ 'show-interactive-dev-session': false, 'log-level': 'error' }),
    ...toFlags(key ? { var: `DAYBOOK_KEY:${key}` } : {}),
  ],
  quietWrangler,
)
launch(
  'demo',
  [
    'node_modules/vite/bin/vite.js',
    'demo',
    ...toFlags({ host, port: port.demo, strictPort: true, logLevel: 'warn' }),
  ],
  { VITE_EDGE_URL: edgeUrl },
)
await Promise.all([waitFor(`${edgeUrl}/health`, 'edge'), waitFor(demoUrl, 'demo')])
if (!stopping) console.log(`\n  Demo  ${demoUrl}\n  Edge  ${edgeUrl}\n\n  Ctrl-C stops both.\n`)

// wrangler can outlive a workerd that crashed, and then the edge hangs or refuses: twice silent is dead.
for (let silent = 0; !stopping;) {
  await delay(watchEveryMs)
  const answer = await fetch(`${edgeUrl}/health`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  )
  silent = answer ? 0 : silent + 1
  if (silent < 2 || stopping) continue
  console.error('\nThe edge no longer answers; stopping everything.\n')
  await stopAll(1)
}
