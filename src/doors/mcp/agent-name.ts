// Names of agents: the reserved name of the owner, who decides, and the name of a host of agents.
// Invariant: no host of agents gets the owner's name, so the owner may decide about whatever a host proposed.
import { isAlikeAgent } from '../../core/text/fold.ts'

/** The agent of the owner's decisions. */
export const ownerName = 'owner'

/** Leaves room for the number of a further connection. */
const maxNameLength = 56

/** The agent name of a host: `chosen` by the user, else for `client`, the name that the host gives itself. */
export function hostAgentName(chosen: string | undefined, client: string | undefined): string {
  const name = chosen ?? plainName(client ?? '')
  return isAlikeAgent(name, ownerName) ? `${name}-agent` : name
}

/**
 * `name` in lower-case letters, digits, `.` and `-`, so never the id of a persona, which has `_`. `agent` if nothing is
 * left.
 */
function plainName(name: string): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^[-.]+/g, '')
    .slice(0, maxNameLength)
    .replaceAll(/[-.]+$/g, '')
  return plain === '' ? 'agent' : plain
}

/** Field of `_meta` with the client's name and version, from revision 2026-07-28 on. */
const clientInfoField = 'io.modelcontextprotocol/clientInfo'

/** The revision that `initialize` asks for; undefined for another message. */
export function requestedRevision(params: unknown): string | undefined {
  const { protocolVersion } = (params ?? {}) as Record<string, unknown>
  return typeof protocolVersion === 'string' ? protocolVersion : undefined
}

/**
 * The name of the client in the parameters of its first message: of `initialize`, or in the `_meta` of a newer revision.
 */
export function clientName(params: unknown): string | undefined {
  const { clientInfo, _meta: meta } = (params ?? {}) as Record<string, unknown>
  const info = clientInfo ?? (meta as Record<string, unknown> | undefined)?.[clientInfoField]
  const name: unknown = (info as Record<string, unknown> | null | undefined)?.['name']
  return typeof name === 'string' ? name : undefined
}
