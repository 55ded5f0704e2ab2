// Which tests `npm run test:quick` runs: those in Node that start no process, as their imports say, and compute for seconds, not
// for minutes, as their names say.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { importOf, nodesOf } from '../scripts/walls/imports.mjs'
import { root } from '../scripts/place.mjs'

/** The names of what tries thousands of seeds. */
export const longNames: readonly string[] = ['crash-*.test.ts', '*-thousand.test.ts']

const startsProcess = new Map<string, boolean>()

/** Whether a file of test/, or what it imports from there, starts processes. */
function hasProcess(file: string): boolean {
  const known = startsProcess.get(file)
  if (known !== undefined) return known
  const starts = [...nodesOf(file, readFileSync(join(root, file), 'utf8'))].some((node) => {
    const imported = importOf(node)
    if (!imported || imported.isType) return false
    const { specifier } = imported
    if (specifier === 'node:child_process') return true
    const to = posix.join(posix.dirname(file), specifier)
    return specifier.startsWith('.') && to.startsWith('test/') && existsSync(join(root, to)) && hasProcess(to)
  })
  startsProcess.set(file, starts)
  return starts
}

/** Whether a file has to have a worker of its own: it puts a browser's globals, or a module of its own, in place. */
export const needsOwnWorker = (file: string): boolean =>
  file.startsWith('test/node/hosts/browser/') || readFileSync(join(root, file), 'utf8').includes('vi.mock(')

/** Their paths from the root. */
export function quickFiles(): string[] {
  const isLong = (file: string) => longNames.some((name) => posix.matchesGlob(posix.basename(file), name))
  return globSync('test/{node,contract,sim,types}/**/*.test.ts', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !isLong(file) && !hasProcess(file))
    .toSorted()
}
