// The ports of the chapter: policies, receipts and access requests, and the decisions of the policies.
// Invariant: the ports reach no record of another kind, such as a memory.
import { holdersOfGuest } from '../../../core/capability/caller.ts'
import type { ChapterPorts } from '../../../core/capability/chapter.ts'
import type { Ledger } from '../../../core/capability/port/record-port.ts'
import { DaybookError } from '../../../core/errors.ts'
import { formatTime } from '../../../core/time.ts'
import { consentKinds } from './policy-kind.ts'

const isConsentKind = (kind: string) => (consentKinds as readonly string[]).includes(kind)

/** Makes a `get` that returns undefined for a record of another kind. */
const createGet =
  ({ get }: Pick<Ledger, 'get'>) =>
  (id: string) => {
    const record = get(id)
    return record && isConsentKind(record.kind) ? record : undefined
  }

export const consentPorts: ChapterPorts = {
  read: {
    // The parameters: PortParts in core/capability/context.ts. The result: ConsentPort, in the same file.
    consent: ({ caller, ledger, decide, opensMs }) => ({
      records: {
        get: createGet(ledger),
        query: (query) => (isConsentKind(query.kind) ? ledger.query(query) : { records: [] }),
      },
      decide: (agent) => decide([agent]),
      decisions: () =>
        caller.role === 'owner' ? [] : holdersOfGuest(caller).map(({ names }) => decide(names)),
      opensAt() {
        const ms = opensMs()
        return ms === undefined ? undefined : formatTime(ms)
      },
    }),
  },
  write: {
    consent: ({ ledger }) => ({
      records: {
        get: createGet(ledger),
        wasForgotten: ledger.wasForgotten,
        put(request) {
          if (isConsentKind(request.kind)) return ledger.put(request)
          throw new DaybookError('forbidden', `A ${request.kind} is no record of consent.`)
        },
      },
    }),
  },
}
