// The id of a persona: `mcp_<name>_<8 hex>_<unix seconds>`. A name of letters, digits, `.` and `-` stands for itself, any
// other sign for its code (`:20:`), and a name that is too long for that for a hash of it.
import { nameId } from '../../../core/text/name-id.ts'
import { nameHash } from '../../../core/text/murmur.ts'
import { shortKey } from '../../../core/text/text-key.ts'
import { parseTime } from '../../../core/time.ts'

const longest = 90

/** How `name` stands in an id. Two names never stand there alike, short of a hash that clashes. */
function inId(name: string): string {
  const written = nameId('', name).slice('::'.length).replaceAll('_', ':5f:')
  return written.length <= longest ? written : `:${nameHash('persona', name)}`
}

/** The id of a persona that `agent` registers as `name` at `now`: the same second, the same persona. */
export function personaId(name: string, now: string): string {
  const seconds = String(Math.floor((parseTime(now) ?? 0) / 1000))
  const hex = shortKey(`${name}\n${seconds}`).toString(16).padStart(8, '0')
  return `mcp_${inId(name)}_${hex}_${seconds}`
}

/** True for the id of a persona of this name. */
export function isIdOf(id: string, name: string): boolean {
  return id.startsWith(`mcp_${inId(name)}_`) && /^[0-9a-f]{8}_\d{1,12}$/.test(id.slice(inId(name).length + 5))
}
