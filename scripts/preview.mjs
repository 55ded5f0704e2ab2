// `npm run preview`: the inspector and its edge as `npm run deploy` publishes them, as one Worker with static
// files, on this machine until Ctrl-C. PREVIEW_PORT and PREVIEW_STATE set its port and state folder.
import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { buildPage } from './build-page.mjs'
import { beginGuardedRun } from './guard/guarded-run.mjs'
import { devEdge, quietWrangler, root } from './place.mjs'
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

const run = beginGuardedRun({ kind: 'service', graceMs: stopDeadlineMs })
const edge = devEdge({ assets: page, ip: host, port, 'persist-to': resolve(state, 'edge') })
run.start(edge, quietWrangler).once('exit', (code) => void run.end(code ?? 1))

const url = `http://${host}:${port}`
while (!run.isEnding() && !(await fetch(`${url}/health`).catch(() => undefined))) await delay(100)
if (!run.isEnding()) console.log(`\n  Page and edge, as published  ${url}\n\n  Ctrl-C stops them.\n`)
