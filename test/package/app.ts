// A stranger's app: a fresh folder outside the repository, with the packed tarball as npm installed it there once.
// Everything else it needs is linked from the repository's node_modules, so that no registry is asked.
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

export interface App extends AsyncDisposable {
  readonly path: string
}

function requirePacked() {
  const made = inject('packed')
  if ('fault' in made) throw new Error(`The package could not be built.\n${made.fault}`)
  return made
}

/** The path of the packed tarball; throws what kept it from being made. */
export const requireTarball = (): string => requirePacked().tarball

/** An app with the package, what it depends on, and `tools` of the repository. */
export async function createApp(tools: readonly string[]): Promise<App> {
  const { installed } = requirePacked()
  const path = await mkdtemp(join(tmpdir(), 'daybook-app-'))
  const app = { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
  await cp(fileURLToPath(new URL('app', import.meta.url)), path, { recursive: true })
  await writeFile(join(path, 'package.json'), JSON.stringify({ name: 'app', private: true, type: 'module' }))
  // Its folder lies beside this one, so that the links of npm lead from here to the same places.
  await cp(join(installed, 'node_modules'), join(path, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  for (const name of tools) {
    const link = join(path, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(root, 'node_modules', name), link)
  }
  return app
}
