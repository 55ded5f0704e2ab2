// The ledger of the chapter of consent: policies, receipts and requests, and no tokens or keys.
import type { Ledger, LedgerWriter } from '../../core/capability/port/record-port.ts'
import { consentKinds } from '../../memory/consent/policy/policy-kind.ts'
import { outside } from './guest-write.ts'

const isOfConsent = (kind: string) => (consentKinds as readonly string[]).includes(kind)

const getFrom =
  ({ get }: Pick<Ledger, 'get'>) =>
  (id: string) => {
    const found = get(id)
    return found && isOfConsent(found.kind) ? found : undefined
  }

export function consentLedger(ledger: Ledger): Ledger {
  return {
    get: getFrom(ledger),
    query: (query) => (isOfConsent(query.kind) ? ledger.query(query) : { records: [] }),
  }
}

export function consentLedgerWriter(ledger: LedgerWriter): LedgerWriter {
  return {
    get: getFrom(ledger),
    wasForgotten: ledger.wasForgotten,
    put(request) {
      if (!isOfConsent(request.kind)) throw outside()
      return ledger.put(request)
    },
  }
}
