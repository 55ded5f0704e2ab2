// The only way to a book at the edge. Invariant: a book is opened by the name that was authorised, for the caller who was,
// in one step; routes are given what came of it and can name no other book, nor another caller.
import { checkBookName } from '../../../core/book.ts'
import { DaybookError } from '../../../core/errors.ts'
import { noLines } from '../../../edge/live-lines.ts'
import type { AgentAnswer, AgentAsk } from '../../../edge/agent/answer-agent.ts'
import type {
  AgentPresented,
  BodyPass,
  BookDoor,
  Comer,
  Mirrors,
  Presented,
} from '../../../edge/mirror-door.ts'
import { fromOutcome } from '../../../edge/outcome.ts'

/** The book of that name for whoever presents this; `invalid-input` for what is no name of a book. */
export function openBookDoor(mirrors: Mirrors, book: string, comer: Presented): BookDoor {
  const mirror = mirrors.getByName(checkBookName(book))
  let isPaid = false
  /** The gate has paid for one call of this request. */
  const present = (): Presented => {
    const presented = isPaid ? { ...comer, isPaid } : comer
    isPaid = false
    return presented
  }
  return {
    async enter(capability) {
      const pass = await enterBody(mirrors, book, comer, capability)
      isPaid = pass?.isPaid ?? false
      return pass
    },
    admit: (id) => fromOutcome(mirror.admit(id, present())),
    ticket: (asked) => fromOutcome(mirror.ticket(asked, present())),
    erase: (asked) => fromOutcome(mirror.erase(asked, present())),
    begin: (asked) => fromOutcome(mirror.begin(asked, present())),
    exchange: (request) => fromOutcome(mirror.exchange(request, present())),
    call: (id, input, { requestId, purpose, receipt, way } = {}) =>
      fromOutcome(
        mirror.call(id, input, {
          ...present(),
          ...(requestId === undefined ? {} : { requestId }),
          ...(purpose === undefined ? {} : { purpose }),
          ...(receipt === undefined ? {} : { receipt }),
          ...(way === undefined ? {} : { way }),
        }),
      ),
  }
}

/** The way past the gate before bodies; undefined where there is none. */
export async function enterBody(
  mirrors: Mirrors,
  book: string,
  comer: Comer,
  capability: string,
): Promise<BodyPass | undefined> {
  return mirrors.bodyGate?.(checkBookName(book)).enter(comer, capability)
}

/** What a request of the a2p protocol is answered by the book of that name. */
export function askAgentDoor(
  mirrors: Mirrors,
  book: string,
  presented: AgentPresented,
  ask: AgentAsk,
): Promise<AgentAnswer> {
  return mirrors.getByName(checkBookName(book)).agentCall(ask, presented)
}

/** Answers the upgrade to a line of `book`, which knows by its ticket alone who asks. */
export async function openBookLine(mirrors: Mirrors, book: string, upgrade: Request): Promise<Response> {
  const response = await mirrors.getByName(checkBookName(book)).fetch?.(upgrade)
  if (!response) throw noLines()
  if (response.status === 101) return response
  throw DaybookError.from(await response.json())
}
