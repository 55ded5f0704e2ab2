// `npm start`: the edge (workerd through wrangler, no account) and the demo (Vite) side by side, until
// Ctrl-C.
// Checks both ports first; when one of the two dies, or this process, the others are stopped.
import { setTimeout as delay } from 'node:timers/promises'
import { hasShortKey, minKeyLength } from './edge-key.mjs'
import { beginGuardedRun } from './guard/guarded-run.mjs'
import { devEdge, quietWrangler, toFlags } from './place.mjs'
import { host, readPort, requireFreePort } from './port.mjs'

const startDeadlineMs = 60_000
const stopDeadlineMs = 5_000
const watchEveryMs = 3_000

/** Returns both ports, or prints the error and exits. */
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
// The edge would refuse all callers.
if (hasShortKey(key)) {
  console.error(`\nDAYBOOK_KEY has fewer than ${minKeyLength} characters; set a longer one, or none.\n`)
  process.exit(1)
}
const edgeState = process.env['EDGE_STATE'] ?? '.state/edge'

const run = beginGuardedRun({ kind: 'service', graceMs: stopDeadlineMs })

/** @param {string} name @param {string[]} args @param {Record<string, string>} env */
function launch(name, args, env) {
  run.start(args, env).once('exit', (code, signal) => {
    if (run.isEnding()) return
    console.error(
      `\nThe ${name} stopped by itself (${signal ?? `exit code ${code}`}); stopping everything.\n`,
    )
    void run.end(1)
  })
}

/** @param {string} url @param {string} name */
async function waitFor(url, name) {
  const deadline = Date.now() + startDeadlineMs
  while (Date.now() < deadline && !run.isEnding()) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    if (answer) return
    await delay(100)
  }
  if (run.isEnding()) return
  console.error(`\nThe ${name} did not answer at ${url} within ${startDeadlineMs / 1000} s; stopping.\n`)
  await run.end(1)
}

launch(
  'edge',
  devEdge({
    ip: host,
    port: port.edge,
    'persist-to': edgeState,
    var: key ? `DAYBOOK_KEY:${key}` : `DAYBOOK_ORIGINS:${demoUrl}`,
  }),
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
const open = key
  ? ''
  : '\n  Without DAYBOOK_KEY every program of this machine, and the demo page, can use the edge.\n'
if (!run.isEnding()) console.log(`\n  Demo  ${demoUrl}\n  Edge  ${edgeUrl}\n${open}\n  Ctrl-C stops both.\n`)

// wrangler can outlive a crashed workerd; then the edge hangs or refuses. Two failures mean that it is dead.
for (let silent = 0; !run.isEnding();) {
  await delay(watchEveryMs)
  const answer = await fetch(`${edgeUrl}/health`, { signal: AbortSignal.timeout(10_000) }).catch(
    () => undefined,
  )
  silent = answer ? 0 : silent + 1
  if (silent < 2 || run.isEnding()) continue
  console.error('\nThe edge no longer answers; stopping everything.\n')
  await run.end(1)
}
