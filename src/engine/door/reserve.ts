// What a full book must still be able to do: be read, which may take deriving first, and be emptied.
// Invariant: only that may use the reserve, and it is closed again behind it.
import type { AnyCapability } from '../../core/capability/capability.ts'
import { isDaybookError } from '../../core/errors.ts'

/** Verbs that free space: all that forget, and `purge`, for which there is no right. */
const isEmptying = ({ id, permission }: AnyCapability) => permission === 'forget' || id === 'kstar:purge'

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
