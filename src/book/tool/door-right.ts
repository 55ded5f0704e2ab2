// What the holder of a token may call, for those who list tools: asked of the book that the token is of, as its owner, for a
// token that may not read can't ask what it may. Nothing else is told of the token, and each call is judged on its own.
import type { BookEvent, BookEvents } from '../../core/capability/event.ts'
import { rights } from '../../core/access/permission.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'

export interface DoorRights {
  /** Rejects with `unauthorized` for a token that does not hold now. */
  permissions(): Promise<readonly string[]>
  /** Tells that they may be others now; answers how to stop. */
  onChange(listener: () => void): () => void
}

/** As much of a book's door as is asked. */
export interface RightsDoor {
  call(id: string, input: unknown, options: object): Promise<unknown>
  on(listener: (event: BookEvent) => void): () => void
}

/** What an agent may call that has its owner's book: whatever some guest may, and nothing that is the owner's alone. */
export const agentRights: DoorRights = {
  permissions: () => Promise.resolve(['**', ...rights]),
  onChange: () => () => undefined,
}

/** Without ids anything may be another: time has passed, or another tab has taken over. */
const mayBeOfToken = ({ ids, kinds }: BookEvents['change']) => ids.length === 0 || kinds.includes('token')

/** The token that was named, and all above it. */
export interface Lineage {
  readonly tokens: readonly {
    readonly state: string
    readonly permissions: readonly string[]
    readonly expires_at: string
    readonly not_before?: string | undefined
  }[]
}

/** `watch`: tells of everything that may end the token, time too. */
export function rightsOf(door: RightsDoor, token: string, watch: Pick<RightsDoor, 'on'> = door): DoorRights {
  return {
    async permissions() {
      const [found] = (await lineageOf(door, token)).tokens
      if (found?.state === 'active') return found.permissions
      throw new DaybookError('unauthorized', 'The token does not hold here.', { details: { path: 'as' } })
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
