// The chapter of consent without its verbs: kinds, ports, the daily upkeep, and two services that notify listeners of
// access requests and of proposals.
import { consentPorts } from './policy/consent-port.ts'
import { type Service, type ServiceParts, defineChapterBase } from '../../core/capability/chapter.ts'
import { createRecordFeed } from '../../core/capability/record-feed.ts'
import { bodyOf } from '../../core/record.ts'
import { memoryKind } from './memory/memory-kind.ts'
import { accessRequestBody, accessRequestKind, policyKind, receiptKind } from './policy/policy-kind.ts'
import { ruleKind } from './rule-kind.ts'
import { proposalKind } from './proposal/proposal-kind.ts'
import type { Proposal } from './proposal/proposal-schema.ts'

/** Fires `consent` for each new status of an access request. */
const createRequestFeed = (deps: ServiceParts): Service =>
  createRecordFeed(deps, {
    name: 'consent feed',
    kind: 'access_request',
    read(record) {
      const body = accessRequestBody.safeParse(bodyOf(record)).data
      if (!body) return undefined
      const { status, requestedBy: agent } = body
      return { state: status, announce: () => deps.tell('consent', { id: record.id, agent, status }) }
    },
  })

/** Fires `proposal` for each new status or reopening of a proposal. */
const createProposalFeed = (deps: ServiceParts): Service =>
  createRecordFeed(deps, {
    name: 'proposal feed',
    kind: 'proposal',
    read(record) {
      const { id, status, by, reopened = {} } = record as Proposal
      // A reopened proposal may have the same status as at the last event.
      const state = `${status} ${Object.keys(reopened).length}`
      return { state, announce: () => deps.tell('proposal', { id, status, by }) }
    },
  })

export const consentBase = defineChapterBase({
  name: 'consent',
  kinds: [memoryKind, proposalKind, ruleKind, policyKind, receiptKind, accessRequestKind],
  ports: consentPorts,
  // `kind`: starts with the first memory of the book.
  recurring: [
    { id: 'consent.maintain', capability: 'a2p:maintain', input: {}, every: '1d', kind: 'memory' },
    { id: 'rules.find', capability: 'rule:find', input: {}, every: '1d', kind: 'message' },
  ],
  services: (deps) => [createProposalFeed(deps), createRequestFeed(deps)],
})
