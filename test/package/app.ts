// A stranger's app: a fresh folder outside the repository, with the packed tarball installed by npm.
// Everything else it needs is linked from the repository's node_modules, so that no registry is asked.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { inject } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../..', import.meta.url))

export interface App extends AsyncDisposable {
  readonly path: string
}

/** What the package itself depends on; a registry would deliver it to a stranger. */
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Readonly<Record<string, string>>
}

/** The path of the packed tarball; throws what kept it from being made. */
export function requireTarball(): string {
  const made = inject('packed')
  if ('fault' in made) throw new Error(`The package could not be built.\n${made.fault}`)
  return made.tarball
}

export async function createApp(tools: readonly string[]): Promise<App> {
  const tarball = requireTarball()
  const path = await mkdtemp(join(tmpdir(), 'daybook-app-'))
  await cp(fileURLToPath(new URL('app', import.meta.url)), path, { recursive: true })
  await writeFile(join(path, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  const links = [...Object.keys(dependencies), ...tools].map((name) => join(root, 'node_modules', name))
  await run(
    'npm',
    ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball, ...links],
    { cwd: path },
  )
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
