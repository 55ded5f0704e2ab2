// The verbs of backups: make one, list them, restore one. All are the owner's. A backup is kept only when, read back into
// memory, it says what it was made from, word for word; and restored only when its text has the checksum it was made with.
import { z } from 'zod'
import { defineCapability } from '../../core/capability/capability.ts'
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type RecordHead } from '../../core/record.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { nameId } from '../../core/text/name-id.ts'
import { recordId } from '../../shape/record-id.ts'
import { scopeName } from '../../shape/scope-name.ts'
import { beginImport } from '../bundle-capability.ts'
import { createBundleIntake } from '../format/bundle-intake.ts'
import { recordText } from '../format/bundle-shape.ts'
import { writeBundle } from '../format/bundle-writer.ts'
import { product } from '../format/product.ts'
import { asSnapshot, type Backed, type BackupPorts, ownedBy, recordsOf } from './persona-records.ts'
import type { BackupBody } from './backup-kind.ts'

/** Backups of a persona that are kept, the newest; characters of one, and of a part of it. */
export const backupLimit = { kept: 30, characters: 10_000_000, part: 200_000 } as const

type Backup = RecordHead & BackupBody

const shownBackup = z.object({
  id: z.string(),
  name: z.string(),
  made_at: z.string(),
  checksum: z.string(),
  records: z.number(),
  characters: z.number(),
})

const shown = ({ id, name, made_at, checksum, records, characters }: Backup) => ({
  id,
  name,
  made_at,
  checksum,
  records,
  characters,
})

const failed = (why: string, details: Record<string, unknown> = {}) =>
  new DaybookError('backup-failed', why, { details })

async function bundleOf(at: BackupPorts, backed: Backed): Promise<{ text: string; checksum: string }> {
  let text = ''
  let sum = ''
  const pieces = writeBundle({
    head: { exported_at: at.call.now, agent: { id: at.call.scope.agent, ...product } },
    kinds: backed.kinds.filter(({ name }) => backed.byKind.has(name)),
    snapshot: asSnapshot(backed),
    digest: at.transfer.digest.start(),
    seal(checksum) {
      sum = checksum
      return Promise.resolve({ checksum })
    },
    onRecords: (done) => at.call.progress({ done, total: done, what: 'backup' }),
  })
  for await (const piece of pieces) {
    text += piece
    if (text.length > backupLimit.characters) {
      throw new DaybookError(
        'too-large',
        'All that is the persona’s is more than a backup holds: export the book.',
        {
          details: { limitCharacters: backupLimit.characters },
        },
      )
    }
  }
  return { text, checksum: sum }
}

/** Reads the bundle into memory and holds it against the records; `backup-failed` when it says anything else. */
async function verify(at: BackupPorts, text: string, { byKind }: Backed): Promise<number> {
  const wanted = new Map([...byKind.values()].flat().map((one) => [one.id, recordText(one)]))
  const wrong = (id: string) => failed('The backup says something else than the book.', { id })
  const intake = createBundleIntake(
    {
      kinds: undefined,
      passphrase: undefined,
      signedBy: undefined,
      now: at.call.now,
      take(staged) {
        for (const { id, text: found } of staged) {
          if (!saysSame(wanted.get(id), found)) throw wrong(id)
          wanted.delete(id)
        }
        return Promise.resolve()
      },
    },
    at.records.kinds,
    at.transfer,
  )
  const count = wanted.size
  try {
    await intake.push(text, at.call.signal)
    await intake.end(at.call.signal)
  } catch (error) {
    if (isDaybookError(error, 'aborted') || isDaybookError(error, 'backup-failed')) throw error
    throw failed(error instanceof Error ? error.message : 'It can’t be read back.')
  }
  const [missing] = wanted.keys()
  if (missing !== undefined) throw wrong(missing)
  return count
}

/** All that the book says, the bundle says as well; what it adds are defaults of the kind. */
function saysSame(one: string | undefined, other: string): boolean {
  if (one === undefined) return false
  const kept = JSON.parse(other) as JsonObject
  return Object.entries(JSON.parse(one) as JsonObject).every(
    ([field, value]) => canonicalText(kept[field] ?? null) === canonicalText(value),
  )
}

const partName = (backup: string, number: number) => nameId('backup_part', backup, String(number))

/** Newest first. */
function backupsOf({ records }: Pick<BackupPorts, 'records'>, agents: readonly string[]): Backup[] {
  const found = records.query({
    kind: 'backup',
    filters: { agent: { in: [...agents] } },
    orderBy: ['-made_at', '-id'],
    limit: 1000,
  })
  return found.records as unknown as Backup[]
}

/** Takes out the oldest backups, and parts that no backup has. */
async function prune(at: BackupPorts, agents: readonly string[]): Promise<number> {
  const all = backupsOf(at, agents)
  const old = all.slice(backupLimit.kept)
  const kept = all.slice(0, backupLimit.kept).map(({ id }) => id)
  const { records: stale } = at.records.query({
    kind: 'backup_part',
    filters: { agent: { in: [...agents] }, not: { backup: { in: kept } } },
    limit: 1000,
  })
  await at.records.write(({ records }) => {
    for (const { id } of [...stale, ...old]) records.purge(id)
  })
  return old.length
}

export const backupCapabilities = [
  defineCapability({
    id: 'katra:backup',
    forAgents: true,
    methods: ['backups.make'],
    summary:
      'Backs up all that is a persona’s as one bundle, verified by reading it back; the newest 30 are kept.',
    input: z.strictObject({ persona: scopeName.optional() }).prefault({}),
    output: z.object({ ...shownBackup.shape, removed: z.number() }),
    effect: 'task',
    uses: ['records', 'transfer'],
    async run({ persona }, at) {
      const owned = ownedBy(at, persona)
      const backed = recordsOf(at, owned)
      const { text, checksum } = await bundleOf(at, backed)
      const count = await verify(at, text, backed)
      const [agent] = owned.agents
      const scope = {
        agent,
        ...(backed.sensitivity === undefined ? {} : { sensitivity: backed.sensitivity }),
      }
      const parts = Math.ceil(text.length / backupLimit.part)
      const key = `${at.call.now}-${checksum.slice(-8)}`
      const id = nameId('backup', agent, key)
      for (let number = 0; number < parts; number += 1) {
        const from = number * backupLimit.part
        const body = { backup: id, number, text: text.slice(from, from + backupLimit.part) }
        await at.records.write(({ records }) =>
          records.put({ kind: 'backup_part', id: partName(id, number), body, scope }),
        )
      }
      const body = {
        name: owned.name,
        agents: [...owned.agents],
        made_at: at.call.now,
        checksum,
        records: count,
        characters: text.length,
        parts,
      }
      await at.records.write(({ records }) => records.put({ kind: 'backup', id, body, scope }))
      const removed = await prune(at, owned.agents)
      return { ...shown({ ...body, id } as unknown as Backup), removed }
    },
  }),
  defineCapability({
    id: 'katra:list_backups',
    methods: ['backups.list'],
    summary: 'Lists the backups of a persona, newest first.',
    input: z.strictObject({ persona: scopeName.optional() }).prefault({}),
    output: z.object({ backups: z.array(shownBackup) }),
    effect: 'read',
    uses: ['records'],
    run({ persona }, at) {
      const { agents } = ownedBy(at as unknown as BackupPorts, persona)
      return { backups: backupsOf(at as unknown as BackupPorts, agents).map(shown) }
    },
  }),
  defineCapability({
    id: 'katra:restore_backup',
    forAgents: true,
    methods: ['backups.restore'],
    summary:
      'Restores a backup: what it has comes back as it was; what was written since stays, and what was forgotten stays forgotten.',
    input: z.strictObject({ id: recordId, dry_run: z.boolean().default(false) }),
    output: z.object({
      id: z.string(),
      dry_run: z.boolean(),
      records: z.number(),
      imported: z.number(),
      updated: z.number(),
      unchanged: z.number(),
      forgotten: z.number(),
      conflict_count: z.number(),
    }),
    effect: 'task',
    uses: ['records', 'transfer'],
    async run({ id, dry_run }, at) {
      const found = at.records.get(id)
      if (found?.kind !== 'backup')
        throw new DaybookError('not-found', `There is no backup \`${id}\`.`, { details: { path: 'id' } })
      const backup = bodyOf(found) as unknown as BackupBody
      let text = ''
      for (let number = 0; number < backup.parts; number += 1) {
        const part = at.records.get(partName(id, number))
        if (part?.kind !== 'backup_part' || typeof part['text'] !== 'string')
          throw failed('A part of the backup is missing.', { id, part: number })
        text += part['text']
      }
      if (!text.includes(backup.checksum)) throw failed('The backup is not what it was made as.', { id })
      const upload = beginImport(
        { text, more: false, mode: 'merge', dry_run, include_tokens: false, allow_incomplete: false },
        at,
      )
      try {
        await upload.intake.push(text, at.call.signal)
        const whole = await upload.intake.end(at.call.signal)
        const { imported, updated, unchanged, forgotten, conflict_count } = await upload.finish(whole, at)
        return {
          id,
          dry_run,
          records: backup.records,
          imported,
          updated,
          unchanged,
          forgotten,
          conflict_count,
        }
      } catch (error) {
        if (isDaybookError(error, 'invalid-file') || isDaybookError(error, 'invalid-input'))
          throw failed(error.message, { id })
        throw error
      } finally {
        upload.drop()
      }
    },
  }),
] as const
