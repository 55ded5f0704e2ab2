// The verbs of access requests: an agent requests to read, and gets a receipt if policies grant the request; else the
// owner decides.
// Invariant: an agent requests and lists in its own name only; no agent decides about its own request; a granted
// request doesn't override a denial by policies.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort, TaskContext } from '../../../core/capability/context.ts'
import { endingOf } from '../../../core/zone.ts'
import { DaybookError } from '../../../core/errors.ts'
import type { PolicyDecision } from '../../../core/access/governed.ts'
import { defined } from '../../../core/defined.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { nameHash } from '../../../core/text/text-key.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { instantOrDay } from '../../../shape/field.ts'
import { type Policy } from './decide.ts'
import { memoryScope, memoryScopeLimits } from './memory-scope.ts'
import {
  type AccessRequestBody,
  accessRequestBody,
  levels,
  policyBody,
  type Purpose,
  purposeBody,
  purposeLength,
  type ReceiptBody,
  requestStates,
} from './policy-kind.ts'
import { policyLimit } from './policy-capability.ts'
import { requestId, shownReceipt, shownRequest, toReceipt, toRequest } from './policy-shape.ts'
import { receiptMs } from './receipt.ts'
import { checkLimits, covers, type MatchedScopes, matchScopes } from './request-match.ts'
import { limit } from '../../../shape/page.ts'
import { someText } from '../../../shape/sound-text.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

/** Milliseconds after which an undecided request expires: a week. */
const requestMs = 7 * 86_400_000
/** Longest grant by the owner, in milliseconds: 90 days. */
const grantMs = 90 * 86_400_000

const scopes = z.array(memoryScope).min(1).max(memoryScopeLimits.count)
/** Purpose of a request: a short text, or an object with description, type and legal basis. */
const purpose = z
  .union(
    [someText(purposeLength), purposeBody],
    `is not a text of 1 to ${purposeLength} characters, or an object with its type`,
  )
  .transform((value): Purpose => (typeof value === 'string' ? { description: value } : value))

const later = (now: string, ms: number) => formatTime((parseTime(now) ?? 0) + ms)
const agentOf = ({ caller, scope }: CallPort) => (caller.role === 'guest' ? caller.agent : scope.agent)

const answer = z.object({
  /**
   * `granted`: `receipt` is present. `pending`: the owner has not decided. `denied`: the owner denied the request.
   */
  status: z.enum(['granted', 'pending', 'denied']),
  receipt: shownReceipt.optional(),
  request: shownRequest.optional(),
})
type AccessRequest = { readonly scopes: readonly string[]; readonly purpose: Purpose }
type Context = TaskContext<'consent' | 'records'>

export const requestCapabilities = [
  defineCapability({
    id: 'consent:request',
    permission: 'read',
    methods: ['consent.request'],
    summary:
      'Requests to read memories in scopes, for a purpose: returns a receipt if policies grant it, else a request for the owner to decide.',
    input: z.strictObject({ scopes, purpose }),
    output: answer,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'consent'],
    async run(request, at) {
      const agent = agentOf(at.call)
      if (at.call.caller.role === 'owner' && !at.call.namesAgent) return grantSelf(request, agent, at)
      const holders = at.consent.decisions()
      const decisions = holders.length > 0 ? holders : [at.consent.decide(agent)]
      const match = matchEach(request.scopes, decisions, at)
      if (match.isShut)
        throw new DaybookError('forbidden', 'The policies of this book deny all of these scopes.', {
          details: { path: 'scopes', reason: 'policy', denied: match.denied },
        })
      if (match.granted.length === 0) return askOwner(request, agent, at)
      const retention = decisions.flatMap((one) => one.retention)
      const receipt: ReceiptBody = {
        grantedTo: agent,
        scopes: [...match.granted],
        denied: [...match.denied],
        permissions: [...(decisions[0]?.permissions ?? [])],
        purpose: request.purpose,
        method: 'policy_match',
        policies: [...new Set(decisions.flatMap(({ allowing }) => allowing))],
        ...(retention.length > 0 ? { retention: [...new Set(retention)] } : {}),
        grantedAt: at.call.now,
        expiresAt: later(at.call.now, receiptMs),
        revoked: false,
      }
      const id = `rcpt_${nameHash('receipt', JSON.stringify(receipt))}`
      await at.records.write(({ consent: { records } }) => put(records, 'receipt', id, receipt))
      return { status: 'granted' as const, receipt: toReceipt({ id, ...receipt }, at.call.now) }
    },
  }),
  readVerb({
    id: 'consent:requests',
    method: 'consent.requests',
    summary: "Lists agents' requests to read, newest first; a guest sees its own.",
    input: z
      .strictObject({
        status: z.enum(requestStates).optional(),
        agent: someText(1000).optional(),
        limit: limit(),
      })
      .prefault({}),
    output: z.object({ requests: z.array(shownRequest) }),
    uses: ['consent'],
    run({ status, agent, limit }, at) {
      const found = at.consent.records.query({
        kind: 'access_request',
        limit: 1000,
        ...ownFilter(at.call, 'requestedBy', agent),
      }).records
      const requests = found
        .filter((one) => accessRequestBody.safeParse(bodyOf(one)).success)
        .map((one) => toRequest(one, at.call.now))
        .filter((one) => status === undefined || one.status === status)
      return { requests: requests.slice(0, limit) }
    },
  }),
  defineCapability({
    id: 'consent:decide',
    methods: ['consent.decide'],
    summary: "Grants or denies an agent's request to read: for the owner, never for the requesting agent.",
    decides: { path: 'id' },
    input: z
      .strictObject({
        id: requestId,
        decision: z.enum(['grant', 'deny']),
        /** Requested scopes to grant. Default: all. */
        scopes: scopes.optional(),
        /**
         * Levels to grant. Default `read_full`: all memories except restricted ones, and a restricted one if a
         * scope names its category.
         */
        permissions: levels.optional(),
        /** End of the grant: default after a day, at most after 90 days. A bare date means the end of its day. */
        expiresAt: instantOrDay.optional(),
        reason: someText(500).optional(),
      })
      .refine(
        ({ decision, scopes: some, permissions, expiresAt }) =>
          decision === 'grant' || (some ?? permissions ?? expiresAt) === undefined,
        { path: ['decision'], message: 'denies everything: leave out scopes, permissions and expiresAt' },
      ),
    output: z.object({ request: shownRequest, receipt: shownReceipt.optional() }),
    effect: 'write',
    uses: ['consent'],
    run({ id, decision, ...chosen }, at) {
      const { records } = at.consent
      const request = needPending(records.get(id), at.call.now)
      const { now } = at.call
      const reason = defined({ reason: chosen.reason })
      const decided: AccessRequestBody = {
        ...request,
        status: decision === 'grant' ? 'granted' : 'denied',
        final: decision === 'deny',
        decidedAt: now,
        ...reason,
      }
      if (decision === 'deny') {
        put(records, 'access_request', id, decided)
        return { request: toRequest({ id, ...decided }, now) }
      }
      const receipt = grantOf(id, request, chosen, at.call)
      // The id derives from the request, so a request has one receipt, on whichever device the owner grants it.
      const receiptName = `rcpt_${nameHash('receipt', id)}`
      put(records, 'receipt', receiptName, receipt)
      const granted = { ...decided, receipt: receiptName }
      put(records, 'access_request', id, granted)
      return {
        request: toRequest({ id, ...granted }, now),
        receipt: toReceipt({ id: receiptName, ...receipt }, now),
      }
    },
  }),
] as const

/** Makes a receipt for the owner's own call: it states the existing right. */
async function grantSelf(
  request: AccessRequest,
  agent: string,
  at: Context,
): Promise<z.output<typeof answer>> {
  const { now } = at.call
  const receipt: ReceiptBody = {
    grantedTo: agent,
    scopes: [...request.scopes],
    denied: [],
    permissions: ['read_full'],
    purpose: request.purpose,
    method: 'explicit_grant',
    policies: [],
    grantedAt: now,
    expiresAt: later(now, receiptMs),
    revoked: false,
  }
  const id = `rcpt_${nameHash('receipt', JSON.stringify(receipt))}`
  await at.records.write(({ consent: { records } }) => put(records, 'receipt', id, receipt))
  return { status: 'granted', receipt: toReceipt({ id, ...receipt }, now) }
}

/**
 * Filter for a guest's own records, or for those of `agent` if the caller is the owner. Throws `forbidden` if a
 * guest names another agent.
 */
export function ownFilter({ caller }: CallPort, field: string, agent: string | undefined) {
  const own = caller.role === 'guest' ? caller.agent : agent
  if (caller.role === 'guest' && agent !== undefined && agent !== caller.agent)
    throw new DaybookError('forbidden', 'A guest may list only its own.', {
      details: { path: 'agent' },
    })
  return own === undefined ? {} : { filters: { [field]: own } }
}

interface Putting {
  put(request: { readonly kind: string; readonly id: string; readonly body: JsonObject }): string
}

export function put(records: Putting, kind: string, id: string, body: object): string {
  return records.put({ kind, id, body: body as JsonObject })
}

function policiesOf({ consent }: Context, ids: readonly string[]): Policy[] {
  const wanted = new Set(ids)
  return consent.records
    .query({ kind: 'policy', limit: policyLimit })
    .records.filter(({ id }) => wanted.has(id))
    .map((one) => ({ ...policyBody.parse(bodyOf(one)), id: one.id }))
}

/**
 * Matches `scopes` with the decision for each holder of the caller's chain: each decision narrows the result of the
 * one before.
 */
function matchEach(
  scopes: readonly string[],
  decisions: readonly PolicyDecision[],
  at: Context,
): MatchedScopes {
  return decisions.reduce(
    (before: MatchedScopes, { governed, matched, allowing }) => {
      if (before.granted.length === 0) return before
      const all = policiesOf(at, matched)
      const policies = all.filter(({ id }) => allowing.includes(id))
      const match = matchScopes(before.granted, governed, { policies, all })
      const denied = new Set([...before.denied, ...match.denied])
      return { ...match, denied: [...denied], isShut: before.isShut || match.isShut }
    },
    { granted: scopes, denied: [], isShut: false },
  )
}

/** Returns today's same request of the agent, with its state. If it doesn't exist, creates it as pending. */
async function askOwner(
  request: AccessRequest,
  agent: string,
  at: Context,
): Promise<z.output<typeof answer>> {
  const { now } = at.call
  const scopesInOrder = [...request.scopes].toSorted()
  // The same request of one agent on one day has the same id, on any copy of the book.
  const id = `req_${nameHash('request', agent, now.slice(0, 10), JSON.stringify([scopesInOrder, request.purpose]))}`
  const existing = at.consent.records.get(id)
  if (!existing) checkLimits(agent, at)
  const body: AccessRequestBody = {
    requestedBy: agent,
    scopes: scopesInOrder,
    purpose: request.purpose,
    requestedAt: now,
    expiresAt: later(now, requestMs),
    status: 'pending',
    final: false,
  }
  await at.records.write(({ consent: { records } }) =>
    records.get(id) ? id : put(records, 'access_request', id, body),
  )
  const shown = toRequest(at.consent.records.get(id) ?? { id, ...body }, now)
  const status = shown.status === 'expired' ? 'pending' : shown.status
  const receipt = shown.receipt === undefined ? undefined : at.consent.records.get(shown.receipt)
  return { status, request: shown, ...(receipt ? { receipt: toReceipt(receipt, now) } : {}) }
}

function needPending(
  record: { readonly id: string; readonly kind: string } | undefined,
  now: string,
): AccessRequestBody {
  const body =
    record?.kind === 'access_request' ? accessRequestBody.safeParse(bodyOf(record)).data : undefined
  if (!record || !body)
    throw new DaybookError('not-found', 'There is no request with this id.', { details: { path: 'id' } })
  const { status } = toRequest({ ...body, id: record.id }, now)
  if (status === 'pending') return body
  throw new DaybookError('conflict', `The request is already ${status}.`, { details: { path: 'id', status } })
}

function grantOf(
  id: string,
  request: AccessRequestBody,
  chosen: {
    readonly scopes?: readonly string[] | undefined
    readonly permissions?: ReceiptBody['permissions'] | undefined
    readonly expiresAt?: string | undefined
    readonly reason?: string | undefined
  },
  { now, zone }: CallPort,
): ReceiptBody {
  const granted = chosen.scopes ?? request.scopes
  const foreign = granted.findIndex((one) => !request.scopes.some((wide) => covers(wide, one)))
  if (foreign >= 0)
    throw new DaybookError('invalid-input', `\`scopes.${foreign}\`: It was not requested.`, {
      details: { path: `scopes.${foreign}` },
    })
  const end = chosen.expiresAt === undefined ? later(now, receiptMs) : endingOf(chosen.expiresAt, zone)
  if (end <= now || end > later(now, grantMs))
    throw new DaybookError('invalid-input', '`expiresAt`: It is not within the next 90 days.', {
      details: { path: 'expiresAt' },
    })
  return {
    grantedTo: request.requestedBy,
    scopes: [...granted],
    denied: request.scopes.filter((one) => !granted.some((wide) => covers(wide, one))),
    permissions: chosen.permissions ?? ['read_full'],
    purpose: request.purpose,
    method: 'explicit_grant',
    policies: [],
    request: id,
    grantedAt: now,
    expiresAt: end,
    revoked: false,
    ...defined({ reason: chosen.reason }),
  }
}
