// The verbs of access keys: create, list, revoke. Only the owner may call them.
// Effects: a `write` is one transaction; a `task` is asynchronous, with several. `isQueued` false: the task queue
// refuses the verb, because its result is secret.
import { z } from 'zod'
import { endingOf } from '../core/zone.ts'
import { defineCapability } from '../core/capability/capability.ts'
import { invalidInput } from '../core/errors.ts'
import type { Kinds } from '../core/kind.ts'
import type { JsonObject } from '../core/json/path.ts'
import { permits } from '../core/access/permission.ts'
import { defined } from '../core/defined.ts'
import { bodyOf } from '../core/record.ts'
import { accessKeyBody, type AccessKeyBody, keyFault, kindNames, makeAccessKey } from './access-key.ts'
import { instantOrDay } from '../shape/field.ts'
import { allowPatterns, denyPatterns, permissions, principal, scopePattern } from './token-schema.ts'
import { cursor, limit, nextOf } from '../shape/page.ts'

const keyId = z.string().regex(/^access_key::[A-Za-z0-9_-]{16}$/, 'is not the id of an access key')

const keyInput = z.strictObject({
  /** Purpose of the key, in your own words. */
  name: z.string().min(1).max(200),
  /** True: all rights of the owner of this book, for another device of the owner. */
  owner: z.boolean().default(false),
  /** Rights, and patterns over capability ids, as in a control token. */
  permissions: permissions.default([]),
  /** Scope, as in a control token; `**` is the whole book. */
  scope: scopePattern.default('**'),
  /** Further scopes beside `scope`, as in a control token. */
  allow: allowPatterns.optional(),
  /** Scopes that are denied, as in a control token. */
  deny: denyPatterns.optional(),
  /** The agent that its holder writes as. Default: the name of the key. */
  holder: principal.optional(),
  /**
   * Kinds that it may send in a sync. Default: all except those that only the owner may send, such as tokens, keys
   * and definitions.
   */
  push: kindNames.optional(),
  /** Kinds that it may fetch in a sync. Default: all. */
  pull: kindNames.optional(),
  /** A bare date means the end of its day, in the zone of the book. */
  expires_at: instantOrDay.optional(),
})

const listedKey = accessKeyBody.omit({ hash: true }).extend({
  id: z.string(),
  state: z.enum(['active', 'revoked', 'expired']),
})

/** Throws `invalid-input` for a key that has ended, or that has a right that can never be used. */
function assertUsableRights(input: z.output<typeof keyInput>, now: string, kinds: Kinds): void {
  const { owner, push, pull, expires_at } = input
  if (expires_at !== undefined && expires_at <= now) throw invalidInput('expires_at', 'It is in the past')
  if (owner) {
    const bounds = {
      permissions: input.permissions.length > 0,
      push: push !== undefined,
      pull: pull !== undefined,
      deny: input.deny !== undefined,
      allow: input.allow !== undefined,
      scope: input.scope !== '**',
    }
    for (const [path, isBounded] of Object.entries(bounds))
      if (isBounded) throw invalidInput(path, 'An owner’s key has no bounds')
    return
  }
  if (input.permissions.length === 0)
    throw invalidInput('permissions', 'At least one is required, or `owner`')
  if (input.permissions.some((permission) => permission === 'delegation'))
    throw invalidInput('permissions', "A key can't delegate; grant a control token")
  // True also for a pattern such as `daybook:*`. Only the right `sync` itself needs the whole book, see
  // below.
  const maySync = permits(input.permissions, { id: 'daybook:sync', permission: 'sync' })
  if (input.permissions.includes('sync') && (input.scope !== '**' || input.deny?.length))
    throw invalidInput(input.scope === '**' ? 'deny' : 'scope', 'A key that syncs needs the whole book: `**`')
  for (const path of ['push', 'pull'] as const) {
    const names = input[path]
    if (names && !maySync) throw invalidInput(path, 'It requires the permission `sync`')
    for (const [i, name] of (names ?? []).entries()) {
      const kind = kinds.get(name)
      if (!kind) throw invalidInput(`${path}.${i}`, `There is no kind \`${name}\``)
      // Kinds with `guests` are rights, rules, and records that no scope reaches.
      if (path === 'push' && kind.guests)
        throw invalidInput(`${path}.${i}`, `Only the owner may send \`${name}\``)
    }
  }
}

function keyState(body: AccessKeyBody, now: string): 'active' | 'revoked' | 'expired' {
  const fault = keyFault(body, now)
  if (fault === undefined) return 'active'
  return fault === 'Key expired' ? 'expired' : 'revoked'
}

export const accessKeyCapabilities = [
  defineCapability({
    id: 'daybook:create_access_key',
    methods: ['accessKeys.create'],
    summary:
      'Makes a key with which a device or a program may call the edge for this book. It is shown this one time.',
    input: keyInput,
    output: z.object({
      id: z.string(),
      /** The key itself. It is stored nowhere, and can't be read again. */
      key: z.string(),
    }),
    // A task, because hashing is asynchronous. records: its kinds, and the transaction.
    effect: 'task',
    isQueued: false,
    uses: ['records', 'trust'],
    async run({ expires_at: instantOrDay, ...fields }, at) {
      const input = { ...fields, expires_at: instantOrDay && endingOf(instantOrDay, at.call.zone) }
      assertUsableRights(input, at.trust.time(), at.records.kinds)
      const { id, key } = makeAccessKey(at.trust.random.bytes)
      const { holder = input.name, allow, deny, push, pull, expires_at, ...rest } = input
      const body: AccessKeyBody = {
        ...rest,
        holder,
        hash: await at.trust.digest.sha256(key),
        added_at: at.call.now,
        revoked: false,
        ...(allow ? { allow } : {}),
        ...(deny ? { deny } : {}),
        ...(push ? { push } : {}),
        ...(pull ? { pull } : {}),
        ...defined({ expires_at }),
      }
      await at.records.write(({ trust: { ledger } }) =>
        ledger.put({ kind: 'access_key', id, body: body as JsonObject }),
      )
      return { id, key }
    },
  }),
  defineCapability({
    id: 'daybook:list_access_keys',
    methods: ['accessKeys.list'],
    summary: 'Lists the access keys of this book, newest first, with the rights and validity of each.',
    input: z
      .strictObject({
        limit: limit(),
        cursor,
      })
      .prefault({}),
    output: z.object({ keys: z.array(listedKey), cursor: z.string().optional() }),
    effect: 'read',
    uses: ['trust'],
    run({ limit, cursor }, at) {
      const page = at.trust.ledger.query({ kind: 'access_key', limit, cursor })
      const keys = page.records.flatMap((record) => {
        const body = accessKeyBody.safeParse(bodyOf(record)).data
        if (!body) return []
        const { hash: _, ...rest } = body
        return [{ ...rest, id: record.id, state: keyState(body, at.trust.time()) }]
      })
      return { keys, ...nextOf(page) }
    },
  }),
  defineCapability({
    id: 'daybook:revoke_access_key',
    methods: ['accessKeys.revoke'],
    summary: 'Ends an access key for good; the mirror learns it at once.',
    input: z.strictObject({ id: keyId }),
    output: z.object({
      /** False if there is no such key. */
      revoked: z.boolean(),
      revoked_at: z.string().optional(),
    }),
    effect: 'write',
    uses: ['trust'],
    run({ id }, at) {
      const record = at.trust.ledger.get(id)
      const body = record?.kind === 'access_key' ? accessKeyBody.safeParse(bodyOf(record)).data : undefined
      if (!body) return { revoked: false }
      const revoked_at = body.revoked_at ?? at.call.now
      if (!body.revoked)
        at.trust.ledger.put({
          kind: 'access_key',
          id,
          body: { ...body, revoked: true, revoked_at } as JsonObject,
        })
      return { revoked: true, revoked_at }
    },
  }),
] as const
