// The verbs of sealing: unlock and lock, export and import keys, rotate them, list sealed records. Only the
// owner may call them: no token reaches keys. `runs: 'keys'`: only on a copy with the book's private keys.
// `isQueued: false`: not in the task queue, which would store the secret. The outputs: `SealState` and
// `OpaqueRecord` in core/capability/context.ts.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import type { OpaqueRecord, SealState } from '../../core/capability/context.ts'
import { sealingAlgorithm, sensitivities } from '../../core/sealed.ts'
import { trustClasses } from '../../core/trusted.ts'
import { maxKeyTextLength } from './key-text.ts'
import { passphraseShape } from './key-vault.ts'
import { limit } from '../../shape/page.ts'
import { shapeOf } from '../../shape/shape-of.ts'

const sealState = shapeOf<SealState>()(
  z.object({
    state: z.enum(['off', 'unused', 'lost', 'locked', 'open']),
    guard: z.enum(['device', 'passphrase']).optional(),
    current: z.string().optional(),
    others: z.array(z.string()),
    sealed: z.number(),
    unreadable: z.number(),
    toReseal: z.number(),
  }),
)

const opaqueRecord = shapeOf<OpaqueRecord>()(
  z.object({
    id: z.string(),
    kind: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    ver: z.number(),
    agent: z.string(),
    session: z.string().optional(),
    resource: z.string().optional(),
    sensitivity: z.enum(sensitivities).optional(),
    trust: z.enum(trustClasses).optional(),
    sealed: z.object({ alg: z.literal(sealingAlgorithm), kid: z.string(), bytes: z.number() }),
    locked: z.boolean(),
  }),
)

/** A passphrase that opens a key text. Its minimum length was checked when it was chosen. */
const existingPassphrase = z.string().min(1).max(1024)

export const sealCapabilities = [
  defineCapability({
    id: 'seal:status',
    methods: ['seal.status'],
    summary: 'Reports whether sensitive records can be read and written here, and their keys.',
    input: z.strictObject({}).prefault({}),
    output: sealState,
    effect: 'read',
    uses: ['trust'],
    run: (_input, at) => at.trust.sealing.state(),
  }),
  defineCapability({
    id: 'seal:list',
    methods: ['seal.list'],
    summary:
      'Lists sealed records without their content, in the order of their ids, and whether they can be read here.',
    input: z
      .strictObject({
        after: z.string().max(200).default(''),
        limit: limit(),
      })
      .prefault({}),
    output: z.object({ records: z.array(opaqueRecord) }),
    effect: 'read',
    uses: ['trust'],
    run: ({ after, limit }, at) => ({ records: [...at.trust.sealing.list(after, limit)] }),
  }),
  defineCapability({
    id: 'seal:unlock',
    runs: 'keys',
    methods: ['seal.unlock'],
    summary: 'Opens the keys of the book with its passphrase; a book without keys makes them under it.',
    input: z.strictObject({ passphrase: passphraseShape }),
    output: sealState,
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['trust'],
    async run({ passphrase }, at) {
      await at.trust.sealing.unlock(passphrase)
      return at.trust.sealing.state()
    },
  }),
  defineCapability({
    id: 'seal:lock',
    runs: 'keys',
    methods: ['seal.lock'],
    summary: 'Puts the keys away: sensitive records can be neither read nor written until they are unlocked.',
    input: z.strictObject({}).prefault({}),
    output: sealState,
    effect: 'task',
    uses: ['trust'],
    async run(_input, at) {
      await at.trust.sealing.lock()
      return at.trust.sealing.state()
    },
  }),
  defineCapability({
    id: 'seal:guard',
    runs: 'keys',
    methods: ['seal.guard'],
    summary: 'Changes the guard of the keys: another passphrase, or without one a key of this device.',
    input: z.strictObject({ passphrase: passphraseShape.optional() }).prefault({}),
    output: sealState,
    effect: 'task',
    secrets: ['passphrase'],
    uses: ['trust'],
    async run({ passphrase }, at) {
      await at.trust.sealing.guard(passphrase)
      return at.trust.sealing.state()
    },
  }),
  defineCapability({
    id: 'seal:export_keys',
    runs: 'keys',
    methods: ['seal.exportKeys'],
    summary: 'Gives the keys of the book as a text that a passphrase opens, for another device of the owner.',
    input: z.strictObject({ passphrase: passphraseShape }),
    output: z.object({ text: z.string() }),
    effect: 'task',
    isQueued: false,
    secrets: ['passphrase'],
    uses: ['trust'],
    run: async ({ passphrase }, at) => ({ text: await at.trust.sealing.exportKeys(passphrase) }),
  }),
  defineCapability({
    id: 'seal:import_keys',
    runs: 'keys',
    methods: ['seal.importKeys'],
    summary: 'Adds keys that another device exported: records sealed by them are readable here at once.',
    input: z.strictObject({ text: z.string().max(maxKeyTextLength), passphrase: existingPassphrase }),
    output: z.object({ added: z.array(z.string()), state: sealState }),
    effect: 'task',
    isQueued: false,
    secrets: ['passphrase', 'text'],
    uses: ['trust'],
    async run({ text, passphrase }, at) {
      const added = await at.trust.sealing.importKeys(text, passphrase)
      return { added: [...added], state: await at.trust.sealing.state() }
    },
  }),
  defineCapability({
    id: 'seal:rotate',
    runs: 'keys',
    methods: ['seal.rotate'],
    summary: 'Makes a new key that seals from now on; the background seals all records again with it.',
    input: z.strictObject({}).prefault({}),
    output: z.object({ current: z.string(), state: sealState }),
    effect: 'task',
    uses: ['trust'],
    run: async (_input, at) => ({
      current: await at.trust.sealing.rotate(),
      state: await at.trust.sealing.state(),
    }),
  }),
] as const
