// Builds and packs the package once for all tests of this project, and hands them the tarball's path.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    tarball: string
  }
}

const run = promisify(execFile)

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-pack-'))
  const root = project.vitest.config.root
  await run(process.execPath, ['scripts/build.mjs'], { cwd: root })
  const { stdout } = await run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
  })
  const answer: unknown = JSON.parse(stdout)
  const [packed] = Array.isArray(answer) ? answer : Object.values(answer as object)
  project.provide('tarball', join(folder, packed.filename))
  return () => rm(folder, { recursive: true, force: true })
}
