// The chapter of consent without its verbs: kinds, ports, the daily upkeep, and two services that notify listeners of
// access requests and of proposals.
import { consentPorts } from './policy/consent-port.ts'
import { type Service, type ServiceParts, defineChapterBase } from '../../core/capability/chapter.ts'
import { isDaybookError } from '../../core/errors.ts'
import { bodyOf } from '../../core/record.ts'
import { memoryKind } from './memory/memory-kind.ts'
import { accessRequestBody, accessRequestKind, policyKind, receiptKind } from './policy/policy-kind.ts'
import { proposalKind } from './proposal/proposal-kind.ts'
import type { Proposal } from './proposal/proposal-schema.ts'

/** Most records whose last announced state a service caches. */
const announcedLimit = 1000

function createConsentFeed({ records, tell }: ServiceParts): Service {
  const announced = new Map<string, string>()
  return {
    name: 'consent feed',
    changed(id, kind) {
      if (kind !== 'access_request') return
      const record = records.get(id)
      const body = record && accessRequestBody.safeParse(bodyOf(record)).data
      if (!body || announced.get(id) === body.status) return
      if (announced.size >= announcedLimit) announced.delete(announced.keys().next().value ?? '')
      announced.set(id, body.status)
      tell('consent', { id, agent: body.requestedBy, status: body.status })
    },
  }
}

function createProposalFeed({ records, tell }: ServiceParts): Service {
  const announced = new Map<string, string>()
  /** Returns undefined for a locked proposal: no listener is notified of it. */
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
      if (announced.get(id) === state) return
      if (announced.size >= announcedLimit) announced.delete(announced.keys().next().value ?? '')
      announced.set(id, state)
      tell('proposal', { id, status, by })
    },
  }
}

export const consentBase = defineChapterBase({
  name: 'consent',
  kinds: [memoryKind, proposalKind, policyKind, receiptKind, accessRequestKind],
  ports: consentPorts,
  recurring: [{ id: 'consent.maintain', capability: 'a2p:maintain', input: {}, every: '1d', kind: 'memory' }],
  services: (parts) => [createProposalFeed(parts), createConsentFeed(parts)],
})
