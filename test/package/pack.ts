// Builds and packs the package once for all tests of this project, installs it as a stranger does, and hands them both paths.
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { inStep } from '../support/progress.ts'

declare module 'vitest' {
  interface ProvidedContext {
    packed: { readonly tarball: string; readonly installed: string } | { readonly fault: string }
  }
}

const run = promisify(execFile)

/** Lets npm install the tarball; what it depends on is linked from the repository, where a registry would deliver it to a stranger. */
async function install(root: string, tarball: string, folder: string): Promise<void> {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>
  }
  const links = Object.keys(dependencies).map((name) => join(root, 'node_modules', name))
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'app', private: true, type: 'module' }),
  )
  await run(
    'npm',
    ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball, ...links],
    { cwd: folder },
  )
}

/** A build that fails is a fault of these tests, and does not keep the others from running. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-pack-'))
  const installed = await mkdtemp(join(tmpdir(), 'daybook-installed-'))
  const root = project.vitest.config.root
  try {
    await inStep(project.name, 'building the package', () =>
      run(process.execPath, ['scripts/build.mjs'], { cwd: root }),
    )
    const { stdout } = await inStep(project.name, 'packing it', () =>
      run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root }),
    )
    const tarball = join(folder, stdout.trim())
    await inStep(project.name, 'installing it', () => install(root, tarball, installed))
    project.provide('packed', { tarball, installed })
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string }
    project.provide('packed', { fault: `${String(error)}\n${stdout}` })
  }
  return async () => {
    await rm(folder, { recursive: true, force: true })
    await rm(installed, { recursive: true, force: true })
  }
}
