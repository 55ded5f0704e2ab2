// Names of users and agents as the a2p protocol has them: `did:a2p:<sort>:<namespace>:<name>`, and DIDs of other methods.
// Invariant: one pattern decides everywhere what such a name is, and nothing in it is a wildcard of scopes or policies.

const namespaced = /^did:a2p:(user|agent|org|entity|service):([a-zA-Z0-9._-]+):([a-zA-Z0-9._-]+)$/
const general = /^did:[a-z0-9]+:[a-zA-Z0-9._:-]+$/
const bare = /^did:a2p:(?:user|agent|org|entity|service):[a-zA-Z0-9._-]+$/

/** Most characters of a DID. */
export const didLimit = 300

export interface A2pDid {
  readonly sort: 'user' | 'agent' | 'org' | 'entity' | 'service'
  /** Who gives out the names; `local` is a host of one's own. */
  readonly namespace: string
  readonly name: string
}

/** The parts of a DID of the protocol's own method, or undefined for anything else. */
export function readA2pDid(text: string): A2pDid | undefined {
  const match = text.length > didLimit ? null : namespaced.exec(text)
  if (!match) return undefined
  const [, sort = '', namespace = '', name = ''] = match
  return { sort: sort as A2pDid['sort'], namespace, name }
}

/** True for a DID: of the protocol's own method with its namespace, or of any other method. */
export function isDid(text: string): boolean {
  if (text.length > didLimit) return false
  return text.startsWith('did:a2p:') ? namespaced.test(text) : general.test(text)
}

/** True for a name of the protocol's own method that says of no namespace, so that nobody can be found by it. */
export function lacksNamespace(text: string): boolean {
  return text.length <= didLimit && bare.test(text)
}

/** True for the DID of an agent: one of the protocol's own, or one of another method. */
export function isAgentDid(text: string): boolean {
  return isDid(text) && (readA2pDid(text)?.sort ?? 'agent') === 'agent'
}

const local = 'did:a2p:agent:local:'

/** The DID of an agent: its name where that is one, else one in the namespace `local`, which stands for no registry. */
export function didOfAgent(agent: string): string {
  if (agent.startsWith('did:')) return agent
  return `${local}${agent.replaceAll(/[^A-Za-z0-9.-]/gu, (char) => `_${(char.codePointAt(0) ?? 0).toString(16)}_`)}`
}
