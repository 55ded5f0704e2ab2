// The conformance suite of MCP as a process, asked of an endpoint for one revision: what it ran, and what failed and why.
import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../../../scripts/place.mjs'

const run = promisify(execFile)
const suite = join(root, 'node_modules/@modelcontextprotocol/conformance/dist/index.js')

export interface Served extends AsyncDisposable {
  readonly url: string
}

interface Check {
  readonly id: string
  readonly status: string
  readonly errorMessage?: string
}

export interface Conformed {
  /** The scenarios that count for the revision. */
  readonly ran: readonly string[]
  /** Those of them in which a check failed. */
  readonly failed: readonly string[]
  /** Every check of them that failed, with what was said of it. */
  readonly faults: readonly (readonly [scenario: string, check: string, message: string])[]
}

/** Asks everything that a revision requires. */
export async function conform(url: string, revision: string): Promise<Conformed> {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-conformance-'))
  try {
    const args = [suite, 'server', '--url', url, '--requirements', revision, '-o', folder]
    const { stdout } = await run(process.execPath, args, { timeout: 120_000 }).catch(
      // It says by its exit code that some failed; which did, it prints.
      (error: unknown) => error as { readonly stdout: string },
    )
    const [, summary = ''] = stdout.split('=== SUMMARY ===')
    const [all = '', uncounted = ''] = summary.split('Not scored for')
    const names = (text: string, line: RegExp) => [...text.matchAll(line)].map(([, name = '']) => name)
    const apart = new Set(names(uncounted, /^\s*[✓✗] ([\w-]+)/gm))
    const counted = (line: RegExp) => names(all, line).filter((name) => !apart.has(name))
    const failed = counted(/^✗ ([\w-]+):/gm)
    const faults = readdirSync(folder).flatMap((place) => {
      const scenario = place.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '')
      if (!failed.includes(scenario)) return []
      const checks = JSON.parse(readFileSync(join(folder, place, 'checks.json'), 'utf8')) as Check[]
      return checks
        .filter(({ status }) => status === 'FAILURE')
        .map(({ id, errorMessage = '' }) => [scenario, id, errorMessage] as const)
    })
    return { ran: counted(/^[✓✗] ([\w-]+):/gm), failed, faults }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
