// The verbs of receipts: list and revoke. A receipt lets one agent read memories of some scopes until it expires.
import { z } from 'zod'
import { defineCapability } from '../../../core/capability/capability.ts'
import { defined } from '../../../core/defined.ts'
import { DaybookError } from '../../../core/errors.ts'
import { bodyOf } from '../../../core/record.ts'
import { receiptBody } from './policy-kind.ts'
import { receiptId, receiptOutput, toReceipt } from './policy-output.ts'
import { callerFilter, putConsentRecord } from './request-capability.ts'
import { cursor, limit, nextOf } from '../../../shape/page.ts'
import { someText } from '../../../shape/sound-text.ts'
import { readVerb } from '../../../shape/record-verbs.ts'

export const receiptCapabilities = [
  readVerb({
    id: 'consent:receipts',
    method: 'consent.receipts',
    summary: 'Lists the receipts of agents, newest first; a guest sees its own.',
    input: z
      .strictObject({
        /** The filter applies after a page is read, so a page may be short or empty. */
        state: z.enum(['active', 'expired', 'revoked']).optional(),
        agent: someText(1000).optional(),
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ receipts: z.array(receiptOutput), cursor: z.string().optional() }),
    uses: ['consent'],
    run({ state, agent, limit, cursor }, at) {
      const page = at.consent.records.query({
        kind: 'receipt',
        limit,
        cursor,
        ...callerFilter(at.call, 'grantedTo', agent),
      })
      const receipts = page.records
        .filter((record) => receiptBody.safeParse(bodyOf(record)).success)
        .map((record) => toReceipt(record, at.call.now))
        .filter((receipt) => state === undefined || receipt.state === state)
      return { receipts, ...nextOf(page) }
    },
  }),
  defineCapability({
    id: 'consent:revoke',
    methods: ['consent.revoke'],
    summary: 'Takes a receipt back: it lets nobody read any more, from the next call on.',
    input: z.strictObject({ id: receiptId, reason: someText(500).optional() }),
    output: z.object({ receipt: receiptOutput }),
    effect: 'write',
    uses: ['consent'],
    run({ id, reason }, at) {
      const record = at.consent.records.get(id)
      const body = record?.kind === 'receipt' ? receiptBody.safeParse(bodyOf(record)).data : undefined
      if (!body)
        throw new DaybookError('not-found', 'There is no receipt with this id.', { details: { path: 'id' } })
      if (body.revoked) return { receipt: toReceipt({ ...body, id }, at.call.now) }
      const revoked = {
        ...body,
        revoked: true,
        revokedAt: at.call.now,
        ...defined({ reason }),
      }
      putConsentRecord(at.consent.records, 'receipt', id, revoked)
      return { receipt: toReceipt({ id, ...revoked }, at.call.now) }
    },
  }),
] as const
