// Builds and packs the package once for all tests of this project, and hands them the tarball's path.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'
import { inStep } from '../support/progress.ts'

declare module 'vitest' {
  interface ProvidedContext {
    packed: { readonly tarball: string } | { readonly fault: string }
  }
}

const run = promisify(execFile)

/** A build that fails is a fault of these tests, and does not keep the others from running. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-pack-'))
  const root = project.vitest.config.root
  try {
    await inStep(project.name, 'building the package', () =>
      run(process.execPath, ['scripts/build.mjs'], { cwd: root }),
    )
    const { stdout } = await inStep(project.name, 'packing it', () =>
      run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root }),
    )
    project.provide('packed', { tarball: join(folder, stdout.trim()) })
  } catch (error) {
    const { stdout = '' } = error as { stdout?: string }
    project.provide('packed', { fault: `${String(error)}\n${stdout}` })
  }
  return () => rm(folder, { recursive: true, force: true })
}
