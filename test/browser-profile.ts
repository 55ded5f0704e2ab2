// Where the Chromium of the browser tests keeps its profile: on disk, because an incognito one keeps OPFS in another
// process's memory. One folder for each run; those of runs that ended are swept, as Chromium outlives its run a little.
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserProviderOption } from 'vitest/node'
import { root } from '../scripts/place.mjs'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The folder of this run, the same at each call. */
export function takeBrowserProfile(): string {
  const profiles = join(root, '.cache/browser-profile')
  mkdirSync(profiles, { recursive: true })
  for (const pid of readdirSync(profiles)) {
    if (!isAlive(Number(pid))) rmSync(join(profiles, pid), { recursive: true, force: true, maxRetries: 3 })
  }
  return join(profiles, String(process.pid))
}

/** The same browser with one page at a time, however many files run elsewhere: Vitest gives several no profile. */
export function withOnePage<Options extends object>(
  provider: BrowserProviderOption<Options>,
): BrowserProviderOption<Options> {
  return {
    ...provider,
    providerFactory: (project) =>
      Object.assign(provider.providerFactory(project), { supportsParallelism: false }),
  }
}
