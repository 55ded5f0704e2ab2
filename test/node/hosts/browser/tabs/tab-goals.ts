// What tabs of a world have stored.
import type { TabWorld } from './tab-world.ts'

/** The most steps that a world may need to answer something. */
export const stepLimit = 20_000

/** The goals of all traces, in no order. */
export function goalsOf(world: TabWorld): string[] {
  return world
    .read()
    .all<{ body: string }>('SELECT body FROM records')
    .map(({ body }) => (JSON.parse(body) as { task: { goal: string } }).task.goal)
}
