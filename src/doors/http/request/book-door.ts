// Opens books at the edge for authorised callers.
// Invariant: opening a book fixes its name and its caller; a route reaches no other book and acts as no other caller.
import { checkBookName } from '../../../core/book.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import { noLinesError } from '../../../edge/live-lines.ts'
import type { AgentAnswer, AgentRequest } from '../../../edge/agent/run-agent-call.ts'
import type {
  AgentCredentials,
  BodyPass,
  BookDoor,
  BodyCaller,
  Mirrors,
  Credentials,
} from '../../../edge/mirror-door.ts'
import { fromOutcome } from '../../../edge/outcome.ts'

/**
 * Opens the book of that name for the caller. Throws `invalid-input` for an invalid name. Each method throws if the
 * caller lacks the right. `enter`: admits a body before it is read. `ticket`: for a line. `exchange`: one sync.
 */
export function openBookDoor(mirrors: Mirrors, book: string, caller: Credentials): BookDoor {
  const mirror = mirrors.getByName(checkBookName(book))
  /** True between the body gate and the next call: the gate has charged the request to the caller's rate. */
  let isPaid = false
  /** Returns the caller. The first call after a charge is marked as paid, so that it is not charged again. */
  const credentialsForCall = (): Credentials => {
    const credentials = isPaid ? { ...caller, isPaid } : caller
    isPaid = false
    return credentials
  }
  return {
    async enter(capability) {
      const pass = await enterBody(mirrors, book, caller, capability)
      isPaid = pass?.isPaid ?? false
      return pass
    },
    admit: (id) => fromOutcome(mirror.admit(id, credentialsForCall())),
    ticket: (request) => fromOutcome(mirror.ticket(request, credentialsForCall())),
    erase: (request) => fromOutcome(mirror.erase(request, credentialsForCall())),
    begin: (request) => fromOutcome(mirror.begin(request, credentialsForCall())),
    exchange: (request) => fromOutcome(mirror.exchange(request, credentialsForCall())),
    call: (id, input, { requestId, purpose, receipt, way, connection, scope } = {}) =>
      fromOutcome(
        mirror.call(id, input, {
          ...credentialsForCall(),
          ...defined({ requestId, purpose, receipt, way, connection, scope }),
        }),
      ),
  }
}

/** Passes the body gate of the book. Undefined: the host has no gate. Throws if the gate refuses the caller. */
export async function enterBody(
  mirrors: Mirrors,
  book: string,
  caller: BodyCaller,
  capability: string,
): Promise<BodyPass | undefined> {
  return mirrors.bodyGate?.(checkBookName(book)).enter(caller, capability)
}

/** Sends an a2p request to a book, and returns its answer. */
export function callAsAgent(
  mirrors: Mirrors,
  book: string,
  credentials: AgentCredentials,
  request: AgentRequest,
): Promise<AgentAnswer> {
  return mirrors.getByName(checkBookName(book)).agentCall(request, credentials)
}

/**
 * Upgrades a request to a live line (WebSocket) of `book`. The ticket in the request identifies the caller. Throws
 * the error of a refused upgrade.
 */
export async function openBookLine(mirrors: Mirrors, book: string, upgrade: Request): Promise<Response> {
  const response = await mirrors.getByName(checkBookName(book)).fetch?.(upgrade)
  if (!response) throw noLinesError()
  if (response.status === 101) return response
  throw DaybookError.from(await response.json())
}
