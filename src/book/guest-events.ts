// Events of a book for the holder of a token. Invariant: an event says nothing that the holder can't read at that moment, except
// that some rule about memories has changed, without its name; in doubt, and after the token has ended, the holder gets no event.
// Everybody gets the end of the book, or of the own token.
import { ruledKinds, ruleKinds } from '../core/access/rule-kind.ts'
import type { BookEvent, BookEvents } from '../core/capability/event.ts'

export type BookListener = (event: BookEvent) => void

type Ask = (id: string, input: unknown) => Promise<unknown>

/** Ids that are asked about at once. */
const pageSize = 500

/** Tells `listener`, in their order, those events of `on` that the one who asks by `ask` may hear. */
export function listenAsGuest(
  on: (listener: BookListener) => () => void,
  ask: Ask,
  listener: BookListener,
): () => void {
  let isOver = false
  let last = Promise.resolve()
  const off = on((event) => {
    last = last.then(async () => {
      const heard = isOver ? undefined : await told(event, ask).catch(() => undefined)
      if (heard && !isOver) listener(heard)
    })
  })
  return () => {
    isOver = true
    off()
  }
}

async function told(event: BookEvent, ask: Ask): Promise<BookEvent | undefined> {
  switch (event.name) {
    case 'closed':
      return event
    case 'status': {
      // What does not work is the owner's to know.
      const { owner, durability } = event.detail
      return { name: 'status', detail: { owner, durability } }
    }
    case 'change':
      return toldChange(event.detail, ask)
    case 'inbox':
      return (await seenOf([event.detail.id], ask)).length > 0 ? event : undefined
    case 'proposal': {
      // An agent has its own.
      const { proposals } = (await ask('a2p:list_proposals', { id: event.detail.id })) as {
        readonly proposals: readonly unknown[]
      }
      return proposals.length > 0 ? event : undefined
    }
    case 'room':
      // Answered to those alone whose token lets them in.
      await ask('room:who_is_here', {})
      return event
    case 'consent': {
      const { requests } = (await ask('consent:requests', {})) as { requests: readonly Pick<Named, 'id'>[] }
      return requests.some(({ id }) => id === event.detail.id) ? event : undefined
    }
    case 'pool':
      return (await seenOf([event.detail.record], ask)).length > 0 ? event : undefined
    case 'progress':
    case 'task':
    case 'activity':
    case 'sync':
    case 'secret':
      return undefined
  }
}

async function toldChange({ ids, kinds }: BookEvents['change'], ask: Ask): Promise<BookEvent | undefined> {
  if (kinds.some((kind) => ruleKinds.has(kind))) {
    // Anything that policies decide about may have come or gone.
    const others = (await seenOf(ids, ask)).map(({ kind }) => kind)
    return { name: 'change', detail: { ids: [], kinds: [...new Set([...ruledKinds, ...others])], more: 0 } }
  }
  // Another tab has taken over: it is told of every kind there is.
  if (ids.length === 0) return { name: 'change', detail: { ids, kinds, more: 0 } }
  const seen = await seenOf(ids, ask)
  if (seen.length === 0) return undefined
  const detail = { ids: seen.map(({ id }) => id), kinds: [...new Set(seen.map(({ kind }) => kind))], more: 0 }
  return { name: 'change', detail }
}

interface Named {
  readonly id: string
  readonly kind: string
}

async function seenOf(ids: readonly string[], ask: Ask): Promise<Named[]> {
  const seen: Named[] = []
  for (let from = 0; from < ids.length; from += pageSize) {
    const page = ids.slice(from, from + pageSize)
    const { records } = (await ask('kstar:query_memory', {
      filters: { id: { in: page } },
      limit: page.length,
      include_expired: true,
      include_superseded: true,
    })) as { readonly records: readonly Named[] }
    seen.push(...records)
  }
  return seen
}
