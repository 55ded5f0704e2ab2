// Rights of a token, for lists of tools. The owner's door reads them, because a token without the right `read` can't
// read its own rights. Nothing else of the token is revealed, and every call is checked again.
import type { BookEvent, BookEvents } from '../../core/capability/event.ts'
import { rights } from '../../core/access/permission.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'

export interface DoorRights {
  /** Rejects with `unauthorized` for a token that is not valid now. */
  permissions(): Promise<readonly string[]>
  /** Notifies of possible changes; returns a function that removes the listener. */
  onChange(listener: () => void): () => void
}

/** The used part of a book's door. */
export interface RightsDoor {
  call(id: string, input: unknown, options: object): Promise<unknown>
  on(listener: (event: BookEvent) => void): () => void
}

/**
 * Rights of an agent with a handle of its owner's book: all rights that a guest can have, and no right of the owner
 * only.
 */
export const agentRights: DoorRights = {
  // `**` matches every verb that declares a right.
  permissions: () => Promise.resolve(['**', ...rights]),
  onChange: () => () => undefined,
}

/**
 * True if the change may be a change of tokens. Without ids, any record may have changed: time has passed, or another
 * tab owns the book.
 */
const mayBeOfToken = ({ ids, kinds }: BookEvents['change']) => ids.length === 0 || kinds.includes('token')

/**
 * The answer of `kstar:get_token_lineage`: a token, then its ancestors, the nearest first; empty without such
 * a token.
 */
export interface Lineage {
  readonly tokens: readonly {
    /** `active`, `pending` (not valid yet), or the reason of its end, which may be the end of an ancestor. */
    readonly state: string
    readonly permissions: readonly string[]
    readonly expires_at: string
    readonly not_before?: string | undefined
  }[]
}

/**
 * The rights of `token`. `watch` notifies of every event that may end the token; the default, `door`, doesn't notify of
 * the passing of time.
 */
export function rightsOf(door: RightsDoor, token: string, watch: Pick<RightsDoor, 'on'> = door): DoorRights {
  return {
    async permissions() {
      const [found] = (await lineageOf(door, token)).tokens
      if (found?.state === 'active') return found.permissions
      throw new DaybookError('unauthorized', 'The token is not valid here.', { details: { path: 'as' } })
    },
    onChange: (listener) =>
      watch.on(({ name, detail }) => {
        if (name === 'closed' || (name === 'change' && mayBeOfToken(detail))) listener()
      }),
  }
}

export async function lineageOf(door: Pick<RightsDoor, 'call'>, token: string): Promise<Lineage> {
  try {
    return (await door.call('kstar:get_token_lineage', { token_id: token }, {})) as Lineage
  } catch (error) {
    if (isDaybookError(error, 'not-found')) return { tokens: [] }
    throw error
  }
}
