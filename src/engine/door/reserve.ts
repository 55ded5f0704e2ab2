// What a full book must still be able to do: be read, which may take deriving first, be emptied, and be shut to others.
// Invariant: only that may use the reserve, and it is closed again behind it.
import type { AnyCapability } from '../../core/capability/capability.ts'
import { isDaybookError } from '../../core/errors.ts'

/** What takes a right away or a text out of sight, and can't wait for a disk that has room: it writes little. */
const shutting: ReadonlySet<string> = new Set([
  'kstar:purge',
  'kstar:revoke_control_token',
  'daybook:revoke_access_key',
  'a2p:revoke_agent',
  'consent:revoke',
  'consent:set_policy',
  'consent:remove_policy',
])

/** Verbs that free space, and those that shut somebody out. */
const isEmptying = ({ id, permission }: AnyCapability) => permission === 'forget' || shutting.has(id)

/** Runs `work`, and once more with the reserve where all it lacked was space. */
export async function withReserve<Result>(
  capability: AnyCapability,
  work: () => Promise<Result>,
  useReserve: ((isUsed: boolean) => void) | undefined,
): Promise<Result> {
  if (!useReserve || (capability.effect !== 'read' && !isEmptying(capability))) return work()
  try {
    return await work()
  } catch (error) {
    if (!isDaybookError(error, 'storage-full')) throw error
    useReserve(true)
    try {
      return await work()
    } finally {
      useReserve(false)
    }
  }
}
