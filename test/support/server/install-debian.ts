// Sees that a program of Debian's is on this machine: installs its package when it is missing and root may do so.
import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, openSync } from 'node:fs'
import { progressFile, tellProgress } from '../progress.ts'

/** Why `path` is not here and cannot be had; undefined when it is here. */
export function installDebian(path: string, packages: readonly string[]): string | undefined {
  if (existsSync(path)) return undefined
  const names = packages.join(' ')
  if (!existsSync('/etc/debian_version')) return `this is no Debian, and ${names} is not here`
  if (process.getuid?.() !== 0) return `only root may install ${names}`
  const install = () => apt('install', '-y', '--no-install-recommends', ...packages)
  // Lists of packages may be missing or old on a new machine.
  if (!install() && !(apt('update') && install())) return `${names} cannot be installed`
  return existsSync(path) ? undefined : `${names} is installed, but has no ${path}`
}

function apt(...args: string[]): boolean {
  const step = `apt-get ${args.join(' ')}`
  tellProgress({ step })
  // What it says is a sign of life for the runner: it may take longer than anybody is waited for.
  const output = progressFile === undefined ? 'ignore' : openSync(progressFile, 'a')
  try {
    execFileSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      // It is not ended with the run (`scripts/guard/marked.mjs`): a package that is half installed is worse than a process.
      env: { ...process.env, DAYBOOK_RUN: 'outlives', DEBIAN_FRONTEND: 'noninteractive' },
      stdio: ['ignore', output, output],
    })
    return true
  } catch {
    return false
  } finally {
    if (output !== 'ignore') closeSync(output)
    tellProgress({ step, isOver: true })
  }
}
