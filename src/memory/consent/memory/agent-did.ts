// Agents by the names that a book has for them, and by their decentralised identifiers (W3C DID): one agent, whichever it is
// called by.

import { didOfAgent } from '../../../shape/a2p-did.ts'

export function isSameAgent(one: string, other: string): boolean {
  return one === other || didOfAgent(one) === didOfAgent(other)
}
