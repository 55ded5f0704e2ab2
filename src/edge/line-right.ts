// Who may have a line for talk. One for news of records needs what a sync needs.
import { permits, type Guarded } from '../core/access/permission.ts'
import { isInRoom, meetingRoom, seesAll } from '../core/access/reach.ts'
import type { Caller } from '../core/capability/caller.ts'
import { DaybookError } from '../core/errors.ts'
import type { Purpose as AnyPurpose } from '../sync/wire/live-wire.ts'

type Purpose = Exclude<AnyPurpose, 'sync'>

/** The verb whose right a purpose needs: who may have a line may say on it what that verb says. */
const verbs: Readonly<Record<Purpose, Guarded>> = {
  room: { id: 'room:say', permission: 'write' },
  pool: { id: 'pool:publish', permission: 'write' },
}

/**
 * Throws `forbidden` unless `caller` may have a line for this. Whoever talks in the meeting room must have it in scope; what
 * goes through a pool is of the whole book, and so must be the scope.
 */
export function checkPurpose(purpose: Purpose, caller: Caller): void {
  if (caller.role === 'owner') return
  const { permissions, reach } = caller
  if (!permits(permissions, verbs[purpose]))
    throw refuse(`A line for \`${purpose}\` needs the right of \`${verbs[purpose].id}\`.`, 'for')
  if (purpose === 'room' && !isInRoom(reach))
    throw refuse(`The scope of the token does not have \`${meetingRoom}\`.`, 'scope')
  if (purpose === 'pool' && !seesAll(reach))
    throw refuse('A line for `pool` needs the scope of the whole book, `**`.', 'scope')
}

const refuse = (message: string, path: string) =>
  new DaybookError('forbidden', message, { details: { path } })
