// The verbs of access requests: an agent requests to read, and gets a receipt if policies grant the request; else the
// owner decides.
// Invariant: an agent requests and lists in its own name only; no agent decides about its own request; a granted
// request doesn't override a denial by policies.
import { hashId } from '../../../core/text/name-id.ts'
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import type { CallPort, TaskContext } from '../../../core/capability/context.ts'
import { endingOf } from '../../../core/zone.ts'
import { DaybookError, invalidInput, notFound } from '../../../core/errors.ts'
import type { PolicyDecision } from '../../../core/access/governed.ts'
import { defined } from '../../../core/defined.ts'
import type { JsonObject } from '../../../core/json/path.ts'
import { bodyOf } from '../../../core/record.ts'
import { formatTime, parseTime } from '../../../core/time.ts'
import { instantOrDay } from '../../../shape/field.ts'
import { type Policy } from './policy-decision.ts'
import { memoryScope, memoryScopeLimits } from './memory-scope.ts'
import {
  type AccessRequestBody,
  accessRequestBody,
  levelList,
  policyBody,
  type Purpose,
  purposeBody,
  maxPurposeLength,
  type ReceiptBody,
  requestStates,
} from './policy-kind.ts'
import { requestId, receiptOutput, requestOutput, toReceipt, toRequest } from './policy-output.ts'
import { receiptValidityMs } from './receipt.ts'
import { assertRequestLimits, coversScopeText, type MatchedScopes, matchScopes } from './request-match.ts'
import { limit } from '../../../shape/page.ts'
import { someText } from '../../../shape/sound-text.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

/** Milliseconds after which an undecided request expires: a week. */
const requestValidityMs = 7 * 86_400_000
/** Longest grant by the owner, in milliseconds: 90 days. */
const maxGrantMs = 90 * 86_400_000

const scopeList = z.array(memoryScope).min(1).max(memoryScopeLimits.count)
/** Purpose of a request: a short text, or an object with description, type and legal basis. */
const purpose = z
  .union(
    [someText(maxPurposeLength), purposeBody],
    `is not a text of 1 to ${maxPurposeLength} characters, or an object with its type`,
  )
  .transform((value): Purpose => (typeof value === 'string' ? { description: value } : value))

const addMs = (now: string, ms: number) => formatTime((parseTime(now) ?? 0) + ms)
const callerAgent = ({ caller, scope }: CallPort) => (caller.role === 'guest' ? caller.agent : scope.agent)

/** Output of `consent:request`. `request`: absent if policies, or the owner's own call, granted at once. */
const answer = z.object({
  /**
   * `granted`: `receipt` is present. `pending`: the owner has not decided. `denied`: the owner denied the request.
   */
  status: z.enum(['granted', 'pending', 'denied']),
  receipt: receiptOutput.optional(),
  request: requestOutput.optional(),
})
type Answer = z.output<typeof answer>
type AccessRequest = { readonly scopes: readonly string[]; readonly purpose: Purpose }
type Context = TaskContext<'consent' | 'records'>

export const requestCapabilities = [
  defineCapability({
    id: 'consent:request',
    permission: 'read',
    methods: ['consent.request'],
    summary:
      'Requests to read memories in scopes, for a purpose: returns a receipt if policies grant it, else a request for the owner to decide.',
    input: z.strictObject({ scopes: scopeList, purpose }),
    output: answer,
    effect: 'task',
    repeatable: true,
    // records: its transactions. consent: ConsentPort in core/capability/context.ts.
    uses: ['records', 'consent'],
    async run(request, at) {
      const agent = callerAgent(at.call)
      // `namesAgent`: the call is that of an agent, so the policies decide about it as about a guest.
      if (at.call.caller.role === 'owner' && !at.call.namesAgent) return issueOwnReceipt(request, agent, at)
      // Empty for an agent that calls through the owner's side: it has no chain of tokens.
      const holderDecisions = at.consent.decisions()
      const decisions = holderDecisions.length > 0 ? holderDecisions : [at.consent.decide(agent)]
      const match = matchEach(request.scopes, decisions, at)
      if (match.isFullyDenied)
        throw new DaybookError('forbidden', 'The policies of this book deny all of these scopes.', {
          details: { path: 'scopes', reason: 'policy', denied: match.denied },
        })
      if (match.granted.length === 0) return requestFromOwner(request, agent, at)
      const retention = decisions.flatMap((decision) => decision.retention)
      const receipt: ReceiptBody = {
        grantedTo: agent,
        scopes: [...match.granted],
        denied: [...match.denied],
        // Those of the caller itself, which is the first; the other holders of its chain only narrow the
        // scopes.
        permissions: [...(decisions[0]?.permissions ?? [])],
        purpose: request.purpose,
        method: 'policy_match',
        policies: [...new Set(decisions.flatMap(({ allowing }) => allowing))],
        ...(retention.length > 0 ? { retention: [...new Set(retention)] } : {}),
        grantedAt: at.call.now,
        expiresAt: addMs(at.call.now, receiptValidityMs),
        revoked: false,
      }
      return issueReceipt(receipt, at)
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
    output: z.object({ requests: z.array(requestOutput) }),
    uses: ['consent'],
    run({ status, agent, limit }, at) {
      const filters = {
        ...callerFilter(at.call, 'requestedBy', agent).filters,
        ...(status ? filtersOfStatus(status, at.call.now) : {}),
      }
      const { records } = at.consent.records.query({ kind: 'access_request', limit, filters })
      const requests = records
        .filter((record) => accessRequestBody.safeParse(bodyOf(record)).success)
        .map((record) => toRequest(record, at.call.now))
      return { requests }
    },
  }),
  defineCapability({
    id: 'consent:decide',
    methods: ['consent.decide'],
    summary: "Grants or denies an agent's request to read: for the owner, never for the requesting agent.",
    // The engine refuses the call of the requesting agent.
    decides: { path: 'id' },
    input: z
      .strictObject({
        id: requestId,
        decision: z.enum(['grant', 'deny']),
        /** Requested scopes to grant. Default: all. */
        scopes: scopeList.optional(),
        /**
         * Levels to grant. Default `read_full`: all memories except restricted ones, and a restricted one if a
         * scope names its category.
         */
        permissions: levelList.optional(),
        /** End of the grant: default after a day, at most after 90 days. A bare date means the end of its day. */
        expiresAt: instantOrDay.optional(),
        reason: someText(500).optional(),
      })
      .refine(
        ({ decision, scopes: givenScopes, permissions, expiresAt }) =>
          decision === 'grant' || (givenScopes ?? permissions ?? expiresAt) === undefined,
        { path: ['decision'], message: 'Leave out scopes, permissions and expiresAt to deny the request' },
      ),
    output: z.object({ request: requestOutput, receipt: receiptOutput.optional() }),
    effect: 'write',
    uses: ['consent'],
    run({ id, decision, ...grant }, at) {
      const { records } = at.consent
      const request = requirePending(records.get(id), at.call.now)
      const { now } = at.call
      const reason = defined({ reason: grant.reason })
      const decided: AccessRequestBody = {
        ...request,
        status: decision === 'grant' ? 'granted' : 'denied',
        final: decision === 'deny',
        decidedAt: now,
        ...reason,
      }
      if (decision === 'deny') {
        putConsentRecord(records, 'access_request', id, decided)
        return { request: toRequest({ id, ...decided }, now) }
      }
      const receipt = ownerReceipt(id, request, grant, at.call)
      // The id derives from the request, so a request has one receipt, on whichever device the owner grants it.
      const receiptName = hashId('receipt', 'receipt', id)
      putConsentRecord(records, 'receipt', receiptName, receipt)
      const granted = { ...decided, receipt: receiptName }
      putConsentRecord(records, 'access_request', id, granted)
      return {
        request: toRequest({ id, ...granted }, now),
        receipt: toReceipt({ id: receiptName, ...receipt }, now),
      }
    },
  }),
] as const

/**
 * Stores a receipt for the owner's own call: it states the right that the owner has anyway. It has no `request`, so no
 * agent may present it, see receipt.ts.
 */
async function issueOwnReceipt(request: AccessRequest, agent: string, at: Context): Promise<Answer> {
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
    expiresAt: addMs(now, receiptValidityMs),
    revoked: false,
  }
  return issueReceipt(receipt, at)
}

/** Stores the receipt. Its id derives from its time, so a repeated call reads the answer of the first call by its id. */
async function issueReceipt(receipt: ReceiptBody, at: Context): Promise<Answer> {
  const newId = hashId('receipt', 'receipt', JSON.stringify(receipt))
  const id = await at.records.write(({ consent: { records } }) =>
    putConsentRecord(records, 'receipt', newId, receipt),
  )
  return answerOf(id, at)
}

/** The answer to a request, from the receipt or the request that was stored under `id`. */
function answerOf(id: string, { consent: { records }, call: { now } }: Context): Answer {
  const stored = records.get(id)
  if (stored?.kind === 'receipt') return { status: 'granted', receipt: toReceipt(stored, now) }
  if (!stored) throw notFound('request', id)
  const request = toRequest(stored, now)
  // The id names the day and a request lives a week, so an expired one is here only after a change of the clock.
  const status = request.status === 'expired' ? 'pending' : request.status
  const receipt = request.receipt === undefined ? undefined : records.get(request.receipt)
  return { status, request, ...(receipt ? { receipt: toReceipt(receipt, now) } : {}) }
}

/** Filters for requests that have this status at `now`. */
function filtersOfStatus(status: (typeof requestStates)[number], now: string) {
  if (status === 'pending') return { status, expiresAt: { gt: now } }
  return status === 'expired' ? { status: 'pending', expiresAt: { lte: now } } : { status }
}

/**
 * Filter for a guest's own records, or for those of `agent` if the caller is the owner. Throws `forbidden` if a
 * guest names another agent.
 */
export function callerFilter({ caller }: CallPort, field: string, agent: string | undefined) {
  const agentName = caller.role === 'guest' ? caller.agent : agent
  if (caller.role === 'guest' && agent !== undefined && agent !== caller.agent)
    throw new DaybookError('forbidden', 'A guest may list only its own.', {
      details: { path: 'agent' },
    })
  return { filters: agentName === undefined ? {} : { [field]: agentName } }
}

interface ConsentWriter {
  put(request: { readonly kind: string; readonly id: string; readonly body: JsonObject }): string
}

/** Stores a policy, receipt or access request, and returns its id. */
export function putConsentRecord(records: ConsentWriter, kind: string, id: string, body: object): string {
  return records.put({ kind, id, body: body as JsonObject })
}

function policiesOf({ consent }: Context, ids: readonly string[]): Policy[] {
  return ids.flatMap((id) => {
    const record = consent.records.get(id)
    return record ? [{ ...policyBody.parse(bodyOf(record)), id }] : []
  })
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
    (narrowed: MatchedScopes, { governed, matched, allowing }) => {
      if (narrowed.granted.length === 0) return narrowed
      const matchingPolicies = policiesOf(at, matched)
      const allowingPolicies = matchingPolicies.filter(({ id }) => allowing.includes(id))
      const match = matchScopes(narrowed.granted, governed, {
        allowing: allowingPolicies,
        matching: matchingPolicies,
      })
      const denied = new Set([...narrowed.denied, ...match.denied])
      return { ...match, denied: [...denied], isFullyDenied: narrowed.isFullyDenied || match.isFullyDenied }
    },
    { granted: scopes, denied: [], isFullyDenied: false },
  )
}

/** Returns today's same request of the agent, with its state. If it doesn't exist, creates it as pending. */
async function requestFromOwner(request: AccessRequest, agent: string, at: Context): Promise<Answer> {
  const { now } = at.call
  const scopesInOrder = [...request.scopes].toSorted()
  // The same request of one agent on one day has the same id, on any copy of the book.
  const topic = JSON.stringify([scopesInOrder, request.purpose])
  const id = hashId('access_request', 'request', agent, now.slice(0, 10), topic)
  const existing = at.consent.records.get(id)
  if (!existing) assertRequestLimits(agent, at)
  const body: AccessRequestBody = {
    requestedBy: agent,
    scopes: scopesInOrder,
    purpose: request.purpose,
    requestedAt: now,
    expiresAt: addMs(now, requestValidityMs),
    status: 'pending',
    final: false,
  }
  // Looks again inside the transaction: another call may have stored the request meanwhile.
  const storedId = await at.records.write(({ consent: { records } }) =>
    records.get(id) ? id : putConsentRecord(records, 'access_request', id, body),
  )
  return answerOf(storedId, at)
}

/** Returns the body of a pending request. Throws `not-found`, or `conflict` if it is decided or expired. */
function requirePending(
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

/** The receipt by which the owner grants `request`. Throws `invalid-input` for scopes or an end that it may not grant. */
function ownerReceipt(
  id: string,
  request: AccessRequestBody,
  grant: {
    readonly scopes?: readonly string[] | undefined
    readonly permissions?: ReceiptBody['permissions'] | undefined
    readonly expiresAt?: string | undefined
    readonly reason?: string | undefined
  },
  { now, zone }: CallPort,
): ReceiptBody {
  const granted = grant.scopes ?? request.scopes
  const unrequestedIndex = granted.findIndex(
    (scope) => !request.scopes.some((wide) => coversScopeText(wide, scope)),
  )
  if (unrequestedIndex >= 0)
    throw new DaybookError('invalid-input', `\`scopes.${unrequestedIndex}\`: It was not requested.`, {
      details: { path: `scopes.${unrequestedIndex}` },
    })
  const expiryTime =
    grant.expiresAt === undefined ? addMs(now, receiptValidityMs) : endingOf(grant.expiresAt, zone)
  if (expiryTime <= now || expiryTime > addMs(now, maxGrantMs))
    throw invalidInput('expiresAt', 'It is not within the next 90 days')
  return {
    grantedTo: request.requestedBy,
    scopes: [...granted],
    denied: request.scopes.filter((scope) => !granted.some((wide) => coversScopeText(wide, scope))),
    permissions: grant.permissions ?? ['read_full'],
    purpose: request.purpose,
    method: 'explicit_grant',
    policies: [],
    request: id,
    grantedAt: now,
    expiresAt: expiryTime,
    revoked: false,
    ...defined({ reason: grant.reason }),
  }
}
