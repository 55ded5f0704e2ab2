// Trajectories to import: real ones where the checkout has them beside it, and small ones that tests make themselves.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { join } from 'node:path'

const folder = fileURLToPath(new URL('../../../shared/data/trajectories', import.meta.url))

/** Real files, by name; empty where there are none. */
export function realTrajectories(): Map<string, string> {
  if (!existsSync(folder)) return new Map()
  const names = readdirSync(folder).filter((name) => name.endsWith('.traj'))
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
}
