// DIDs (W3C decentralised identifiers): names of users and agents in the a2p protocol,
// `did:a2p:<sort>:<namespace>:<name>`, DIDs of other methods, and public keys as `did:key`.
// Invariant: these patterns alone decide whether a text is a DID, and no character of a DID is a wildcard of scopes
// or policies.
import { base58 } from '@scure/base'

/** An a2p DID with a namespace, a DID of any method, and an a2p DID without a namespace. */
const namespaced = /^did:a2p:(user|agent|org|entity|service):([a-zA-Z0-9._-]+):([a-zA-Z0-9._-]+)$/
const general = /^did:[a-z0-9]+:[a-zA-Z0-9._:-]+$/
const bare = /^did:a2p:(?:user|agent|org|entity|service):[a-zA-Z0-9._-]+$/

/** Most characters of a DID. */
export const didLimit = 300

export interface A2pDid {
  readonly sort: 'user' | 'agent' | 'org' | 'entity' | 'service'
  /** Issuer of the names; `local` is the user's own host. */
  readonly namespace: string
  readonly name: string
}

/** Parses an a2p DID with a namespace; undefined for any other text. */
export function readA2pDid(text: string): A2pDid | undefined {
  const match = text.length > didLimit ? null : namespaced.exec(text)
  if (!match) return undefined
  const [, sort = '', namespace = '', name = ''] = match
  return { sort: sort as A2pDid['sort'], namespace, name }
}

/** True for an a2p DID with a namespace, or a DID of another method. */
export function isDid(text: string): boolean {
  if (text.length > didLimit) return false
  return text.startsWith('did:a2p:') ? namespaced.test(text) : general.test(text)
}

/** True for an a2p DID without a namespace: no registry can resolve it. */
export function lacksNamespace(text: string): boolean {
  return text.length <= didLimit && bare.test(text)
}

/** True for an a2p DID of an agent, or a DID of another method. */
export function isAgentDid(text: string): boolean {
  return isDid(text) && (readA2pDid(text)?.sort ?? 'agent') === 'agent'
}

/** Beginning of the DIDs that `didOfAgent` makes. */
const local = 'did:a2p:agent:local:'

/**
 * Returns the DID of an agent: its name if that begins with `did:`, else a DID in the namespace `local`, which
 * belongs to no registry. Other characters, `_` included, become `_hex_`, so two names never give one DID.
 */
export function didOfAgent(agent: string): string {
  if (agent.startsWith('did:')) return agent
  return `${local}${agent.replaceAll(/[^A-Za-z0-9.-]/gu, (char) => `_${(char.codePointAt(0) ?? 0).toString(16)}_`)}`
}

const scheme = 'did:key:z'
/** Multicodec of an Ed25519 public key, 0xed, as a varint. */
const codec = [0xed, 0x01] as const
const keyBytes = 32
/** Every 34-byte text with this codec begins with `6Mk` in base58. */
const pattern = /^did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}$/

/**
 * Formats a 32-byte Ed25519 public key as `did:key:z…` (W3C CCG did:key, base58btc). Each key has one text, so keys
 * can be compared as texts.
 */
export function toDidKey(publicKey: Uint8Array): string {
  return scheme + base58.encode(Uint8Array.from([...codec, ...publicKey]))
}

/** Parses a `did:key` into the 32 bytes of an Ed25519 key; undefined for any other text. */
export function fromDidKey(text: string): Uint8Array | undefined {
  if (!pattern.test(text)) return undefined
  const bytes = base58.decode(text.slice(scheme.length))
  const isEd25519 = bytes.length === codec.length + keyBytes && bytes[0] === codec[0] && bytes[1] === codec[1]
  return isEd25519 ? bytes.slice(codec.length) : undefined
}
