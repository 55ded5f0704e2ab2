// Programs of others that tests run and no dependency brings: installed once, in a folder of `.cache`, by npm or pip.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of the packages, or the reason why they are missing. */
export type Installed = { readonly folder: string } | { readonly missing: string }

/** A run waits for no network longer than this. */
const timeout = 300_000

function install(name: string, work: (folder: string) => void): Installed {
  const folder = fileURLToPath(new URL(`../../.cache/foreign/${name}`, import.meta.url))
  const done = join(folder, 'installed')
  if (existsSync(done)) return { folder }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    work(folder)
  } catch {
    return { missing: `${name} can't be installed` }
  }
  writeFileSync(done, '')
  return { folder }
}

/** Installs packages of npm, such as `{ typescript: '5.9.3' }`, in a folder `node_modules`. */
export const installNpm = (name: string, dependencies: Readonly<Record<string, string>>): Installed =>
  install(name, (folder) => {
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, type: 'module', dependencies }),
    )
    const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts']
    execFileSync('npm', args, { cwd: folder, stdio: 'ignore', timeout })
  })

/** Installs packages of Python, such as `mcp==2.3.0`, in a virtual environment; its programs are in `bin`. */
export const installPython = (name: string, packages: readonly string[]): Installed =>
  install(name, (folder) => {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'ignore', timeout })
    const args = ['install', '--quiet', '--disable-pip-version-check', ...packages]
    execFileSync(join(folder, 'bin/pip'), args, { stdio: 'ignore', timeout })
  })
