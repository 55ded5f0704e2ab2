// The processes that a process started, as the system lists them: known before a kill, and looked for after it.
import { execFileSync } from 'node:child_process'
import { vi } from 'vitest'

export interface Listed {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All that live; what has ended and was not yet asked for by its parent does not. */
function listLiving(): Listed[] {
  const text = execFileSync('ps', ['-A', '-ww', '-o', 'pid=,ppid=,stat=,args='], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return [...text.matchAll(/^ *(\d+) +(\d+) +([^Z\s]\S*) +(.*)$/gm)].map(
    ([, pid, parent, , command = '']) => ({ pid: Number(pid), parent: Number(parent), command }),
  )
}

/** The process `root` and all that descends from it. */
export function treeOf(root: number): Listed[] {
  const all = listLiving()
  const found = new Set([root])
  for (let before = 0; before < found.size;) {
    before = found.size
    for (const { pid, parent } of all) if (found.has(parent)) found.add(pid)
  }
  return all.filter(({ pid }) => found.has(pid))
}

/** The first process of `tree` that runs this command. */
export function findIn(tree: readonly Listed[], name: RegExp): Listed {
  const found = tree.find(({ command }) => name.test(command))
  if (!found) throw new Error(`There is no ${name} among\n${tree.map(({ command }) => command).join('\n')}`)
  return found
}

/** Waits until none of `tree` lives; fails with the commands of those that do. */
export async function untilGone(tree: readonly Listed[], timeout = 30_000): Promise<void> {
  const known = new Map(tree.map(({ pid, command }) => [pid, command]))
  await vi.waitFor(
    () => {
      const left = listLiving().filter(({ pid, command }) => known.get(pid) === command)
      if (left.length > 0) throw new Error(left.map(({ command }) => `Lives on: ${command}`).join('\n'))
    },
    { timeout, interval: 100 },
  )
}
