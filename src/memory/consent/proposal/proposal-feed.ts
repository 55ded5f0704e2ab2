// Tells whoever listens that a proposal came or was decided, wherever that happened: once for each state of each.
import type { Service, ServiceParts } from '../../../core/capability/service.ts'
import { isDaybookError } from '../../../core/errors.ts'
import type { Proposal } from './proposal-schema.ts'

/** As many are remembered as told of. */
const toldLimit = 1000

export function createProposalFeed({ records, tell }: ServiceParts): Service {
  const told = new Map<string, string>()
  /** Of what is sealed, where nobody can read it, nobody is told. */
  const readable = (id: string) => {
    try {
      return records.get(id) as Proposal | undefined
    } catch (error) {
      if (isDaybookError(error, 'locked')) return undefined
      throw error
    }
  }
  return {
    name: 'proposal feed',
    changed(id, kind) {
      if (kind !== 'proposal') return
      const proposal = readable(id)
      if (proposal?.kind !== 'proposal') return
      const { status, by, reopened = {} } = proposal
      const state = `${status} ${Object.keys(reopened).length}`
      if (told.get(id) === state) return
      if (told.size >= toldLimit) told.delete(told.keys().next().value ?? '')
      told.set(id, state)
      tell('proposal', { id, status, by })
    },
  }
}
