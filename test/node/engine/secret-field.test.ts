// No verb stores a secret of known form in clear, in whatever field it comes. Every text of a right input is made one, in turn; then
// the names that a call is made under.
import { describe, expect, it } from 'vitest'
import type { AnyCapability } from '../../../src/core/capability/capability.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import type { CallOptions } from '../../../src/engine/engine-shape.ts'
import { isDaybookError } from '../../../src/core/errors.ts'
import { openNodeKeyring } from '../../../src/hosts/node/key/key-file.ts'
import { openNodeVault } from '../../../src/hosts/node/key/vault-file.ts'
import { SyncMirror } from '../../../src/sync/mirror/mirror.ts'
import { parseSyncResponse } from '../../../src/sync/wire/protocol.ts'
import { opOf, syncOf } from '../../contract/door/one-field-draw.ts'
import { callExamples, kindExamples } from '../../contract/door/right-example.ts'
import { type Path, pathsOf, replaceAt } from '../../contract/door/right-input.ts'
import { keyBytes, withChecksum } from '../../support/made-secret.ts'
import { createTestTime } from '../../support/test-engine.ts'
import { openSite, type Site } from '../memory/conversation/site.ts'

const { ports, pass } = createTestTime()
let made = 0
/** Another one each time. */
const newSecret = () =>
  withChecksum('ghp_', `${String((made += 1)).padStart(6, '0')}aB3dE5gH7jK9mN1pQ3rS5tUv`)
const forms = [
  (secret: string) => `x:${secret}:{x}`,
  (secret: string) => secret,
  (secret: string) => `a2p:${secret}`,
  (secret: string) => `x ${secret} x`,
]

const bodies = await kindExamples()
const idOf = (kind: string) => bodies.find((one) => one.kind.name === kind)?.id
/** Inputs of which no schema says how they go together. */
const said: Readonly<Record<string, object>> = {
  'consent:set_policy': {
    name: 'x',
    description: 'x',
    forAgents: 'x',
    allow: ['a2p:x'],
    deny: ['a2p:y'],
    permissions: ['read_full'],
  },
  'kstar:grant_control_token': {
    granted_to: 'x',
    scope: 'x:*',
    allow: ['y:*'],
    deny: ['z:*'],
    permissions: ['read', 'x:y'],
    expires_at: '2099-01-01T00:00:00.000Z',
  },
  'kstar:store_fact': { schema: 'x', data: { x: 'x' }, source: 'x', agent: 'x', session: 'x', resource: 'x' },
  'kstar:store_skill': {
    name: 'x',
    description: 'x',
    definition: { triggers: ['x'], preconditions: ['x'], procedure: 'x' },
  },
  'inbox:send': { to: 'x', subject: 'x', text: 'x', data: { x: 'x' } },
  'daybook:recall': { text: 'x' },
  'recall:context': { text: 'x' },
  'consent:decide': { id: idOf('access_request'), decision: 'deny', reason: 'x' },
  'consent:revoke': { id: idOf('receipt'), reason: 'x' },
  'a2p:register_agent': {
    did: 'did:a2p:agent:local:x',
    name: 'x',
    description: 'x',
    publicKey: Buffer.from(keyBytes(1)).toString('base64'),
  },
  'a2p:consolidate': { ids: [idOf('a2p_memory'), idOf('a2p_memory')], content: 'x' },
  'document:write': { changes: [{ folder: 'text/', key: 'x', value: { x: 'x' } }] },
  'daybook:create_access_key': {
    name: 'x',
    holder: 'x',
    scope: 'x:*',
    allow: ['y:*'],
    deny: ['z:*'],
    permissions: ['read'],
  },
}

async function openFilled(): Promise<Site> {
  const site = openSite(ports, { role: 'mirror', durability: 'durable-object' })
  const mirror = new SyncMirror({ store: site.engine.store, ...ports })
  const exchange = async (request: unknown) =>
    JSON.parse((await mirror.exchange(JSON.stringify(request))).text) as unknown
  const ops = bodies.map(({ kind, id, body }) => opOf(kind, id, body))
  const { results } = parseSyncResponse(await exchange(syncOf('d_owner', ops)))
  expect(results.map(({ s }) => s)).toEqual(bodies.map(() => 'ok'))
  const device = openSite(ports, {
    carrier: { exchange },
    sync: { triggers: 'manual' },
    keys: openNodeKeyring(undefined),
    vault: openNodeVault(undefined),
  })
  await device.engine.call('daybook:sync', undefined)
  return device
}

/** Of a read nothing is stored but what was recalled by. */
async function writing() {
  const all: readonly AnyCapability[] = capabilityTable
  const isWriting = ({ effect, uses }: AnyCapability) => effect !== 'read' || uses?.includes('recall')
  const ids = new Set(all.filter(isWriting).map(({ id }) => id))
  return (await callExamples()).filter(({ name }) => ids.has(name))
}

const textAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((one, key) => (one as Record<string | number, unknown> | undefined)?.[key], value)
const textsOf = (input: unknown) => pathsOf(input).filter((path) => typeof textAt(input, path) === 'string')

/** The input with ids of records that are there, as far as what refuses it says which are wanted. */
async function withIds(call: (input: unknown) => Promise<unknown>, input: unknown): Promise<unknown> {
  let right = input
  for (let i = 0; i < 6; i++) {
    const error = await call(right).then(
      () => undefined,
      (thrown: Error) => thrown,
    )
    const { kind = '', id } =
      /There (?:is|are) no (?<kind>\w+) .*?`(?<id>\w+)`/.exec(error?.message ?? '')?.groups ?? {}
    const other = kind === 'kind' ? 'trace' : (idOf(kind) ?? idOf('trace'))
    const path = textsOf(right).find((one) => textAt(right, one) === id)
    if (id === undefined || !path) return right
    right = replaceAt(right, path, other)
  }
  return right
}

/** What says something without being of the book: ids that people write of records that a record was made from. */
const exempt = new Set(['a2p:store_memory metadata.consolidatedFrom.0: sources'])

describe('secrets in what a verb takes', () => {
  const found = new Set<string>()
  let site: Site
  const renew = async () => {
    site?.engine.close()
    site = await openFilled()
  }
  /** Whether it was taken, or refused for the secret. What is there already is so no more in a new book. */
  const attempt = async (name: string, input: unknown, options: CallOptions = {}) => {
    for (let isNew = false; ; isNew = true) {
      const error = await site.engine.call(name, input, options).then(
        () => undefined,
        (thrown: unknown) => thrown,
      )
      if (!error) return true
      if (!isDaybookError(error)) return false
      if (error.details['reason'] === 'secret') return true
      if (isNew || !['conflict', 'not-found', 'book-closed'].includes(error.code)) return false
      await renew()
    }
  }
  const look = async (secret: string, what: string) => {
    await pass(300)
    const where = site.saying(secret)
    if (where.length > 0) found.add(`${what}: ${where.join()}`)
  }

  it('no text of an input is a secret in clear in any table', { timeout: 120_000 }, async () => {
    let taken = 0
    for (const { name, input } of await writing()) {
      await renew()
      const right = await withIds((one) => site.engine.call(name, one), said[name] ?? input)
      for (const path of textsOf(right)) {
        let isTaken = false
        for (const form of forms) {
          if (isTaken) break
          const secret = newSecret()
          isTaken = await attempt(name, replaceAt(right, path, form(secret)))
          await look(secret, `${name} ${path.join('.')}`)
        }
        if (isTaken) taken++
      }
    }
    expect(taken).toBeGreaterThan(200)
    expect([...found].filter((one) => !exempt.has(one))).toEqual([])
  })

  it('nor is a name that a call is made under', async () => {
    found.clear()
    await renew()
    for (const { name, input } of await writing()) {
      for (const part of ['agent', 'session', 'resource']) {
        const secret = newSecret()
        await attempt(name, said[name] ?? input, { scope: { [part]: `x-${secret}` } })
        await look(secret, `${name} under ${part}`)
      }
    }
    expect([...found]).toEqual([])
  })
})
