// The parts of a backup: each is a bundle of its own, of as many records as fit, or a piece of the bundle of one large record.
// Invariant: a part says word for word what the records are that it names, held against them before it is stored; and nothing of
// a record that is gone is in the part that is written anew.
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { sourceIds } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type Stored } from '../../core/record.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { nameId } from '../../core/text/name-id.ts'
import { createBundleIntake } from '../format/bundle-intake.ts'
import { recordText } from '../format/bundle-shape.ts'
import { writeBundle } from '../format/bundle-writer.ts'
import { product } from '../format/product.ts'
import type { BackupBody, BackupPartBody } from './backup-kind.ts'
import { asSnapshot, type Backed, type BackupPorts } from './persona-records.ts'

/** Backups of a persona that are kept, the newest; characters of one, of a part of it, and of the records of a part. */
export const backupLimit = { kept: 30, characters: 10_000_000, part: 200_000, records: 180_000 } as const

/** Whose backup it is, and when it was made: the same whenever a part is written. */
interface PartHead {
  readonly agent: string
  readonly exported_at: string
}

export type Part = Pick<BackupPartBody, 'records' | 'text' | 'piece'>

export const failed = (why: string, details: Record<string, unknown> = {}) =>
  new DaybookError('backup-failed', why, { details })

export const partName = (backup: string, number: number) => nameId('backup_part', backup, String(number))

/** The parts of all that is backed up, each verified by reading it back. */
export async function writeParts(
  at: BackupPorts,
  { byKind, kinds }: Backed,
  head: PartHead,
): Promise<Part[]> {
  const parts: Part[] = []
  let group: Stored<JsonObject>[] = []
  let size = 0
  let total = 0
  const close = async () => {
    if (group.length === 0) return
    const text = await bundleOf(at, group, head, kinds)
    await verify(at, text, group)
    total += text.length
    if (total > backupLimit.characters) {
      throw new DaybookError(
        'too-large',
        'All that is the persona’s is more than a backup holds: export the book.',
        { details: { limitCharacters: backupLimit.characters } },
      )
    }
    parts.push(
      ...piecesOf(
        text,
        group.map(({ id }) => id),
      ),
    )
    group = []
    size = 0
  }
  for (const record of [...byKind.values()].flat()) {
    const { length } = recordText(record)
    if (size + length > backupLimit.records) await close()
    group.push(record)
    size += length
  }
  await close()
  return parts
}

/** A text that is longer than a part as the pieces of it: it has one record. */
function piecesOf(text: string, records: readonly string[]): Part[] {
  const of = Math.ceil(text.length / backupLimit.part)
  if (of === 1) return [{ records: [...records], text }]
  return Array.from({ length: of }, (_, n) => ({
    records: [...records],
    text: text.slice(n * backupLimit.part, (n + 1) * backupLimit.part),
    piece: { n, of },
  }))
}

/** The bundle of these records. */
async function bundleOf(
  at: BackupPorts,
  records: readonly Stored<JsonObject>[],
  { agent, exported_at }: PartHead,
  kinds: Backed['kinds'],
): Promise<string> {
  const byKind = Map.groupBy(records, ({ kind }) => kind)
  let text = ''
  const pieces = writeBundle({
    head: { exported_at, agent: { id: agent, ...product } },
    kinds: kinds.filter(({ name }) => byKind.has(name)),
    snapshot: asSnapshot({ kinds, byKind, sensitivity: undefined }),
    digest: at.transfer.digest.start(),
    seal: (checksum) => Promise.resolve({ checksum }),
    onRecords: (done) => at.call.progress({ done, total: done, what: 'backup' }),
  })
  for await (const piece of pieces) text += piece
  return text
}

/** One checksum of all parts, as they were made. */
export function checksumOf(at: BackupPorts, texts: readonly string[]): string {
  const digest = at.transfer.digest.start()
  for (const text of texts) digest.update(text)
  return `sha256:${digest.hex()}`
}

/** The records of a part, whose checksum is right; `backup-failed` when it can't be read back. */
async function readBack(at: BackupPorts, text: string): Promise<Stored<JsonObject>[]> {
  const found: Stored<JsonObject>[] = []
  const intake = createBundleIntake(
    {
      kinds: undefined,
      passphrase: undefined,
      signedBy: undefined,
      now: at.call.now,
      take(staged) {
        for (const { kind, text: record } of staged)
          found.push({ ...(JSON.parse(record) as Stored<JsonObject>), kind })
        return Promise.resolve()
      },
    },
    at.records.kinds,
    at.transfer,
  )
  try {
    await intake.push(text, at.call.signal)
    await intake.end(at.call.signal)
  } catch (error) {
    if (isDaybookError(error, 'aborted')) throw error
    throw failed(error instanceof Error ? error.message : 'It can’t be read back.')
  }
  return found
}

async function verify(at: BackupPorts, text: string, records: readonly Stored<JsonObject>[]): Promise<void> {
  const found = new Map((await readBack(at, text)).map((one) => [one.id, recordText(one)]))
  const wrong = records.find((one) => !saysSame(recordText(one), found.get(one.id)))
  if (wrong ?? found.size !== records.length)
    throw failed('The backup says something else than the book.', { id: wrong?.id })
}

/** All that the book says, the bundle says as well; what it adds are defaults of the kind. */
function saysSame(one: string, other: string | undefined): boolean {
  if (other === undefined) return false
  const kept = JSON.parse(other) as JsonObject
  return Object.entries(JSON.parse(one) as JsonObject).every(
    ([field, value]) => canonicalText(kept[field] ?? null) === canonicalText(value),
  )
}

function bodyOfPart({ records }: Pick<BackupPorts, 'records'>, id: string): BackupPartBody | undefined {
  const part = records.get(id)
  return part?.kind === 'backup_part' ? (bodyOf(part) as unknown as BackupPartBody) : undefined
}

/** The texts of a backup, without what is gone since; `backup-failed` when one is missing, or not what it was made as. */
export async function wholeTexts(at: BackupPorts, id: string, backup: BackupBody): Promise<string[]> {
  const texts: string[] = []
  let pieces = ''
  for (let number = 0; number < backup.parts; number += 1) {
    const part = bodyOfPart(at, partName(id, number))
    if (!part) throw failed('A part of the backup is missing.', { id, part: number })
    if (!part.records)
      throw failed('An earlier Daybook made the backup, with what was forgotten since: make a new one.', {
        id,
      })
    const { text, piece } = await withoutGone(at, part, headOf(backup))
    if (piece && text !== '' && piece.n + 1 < piece.of) pieces += text
    else if (text !== '') {
      texts.push(pieces + text)
      pieces = ''
    }
  }
  for (const text of texts) await readBack(at, text)
  return texts
}

const headOf = ({ agents: [agent = ''], made_at }: BackupBody): PartHead => ({ agent, exported_at: made_at })

/** The part of this id as it is without what is gone; undefined when there is none, or its backup is not here. */
export async function partAnew(at: BackupPorts, id: string): Promise<BackupPartBody | undefined> {
  const part = bodyOfPart(at, id)
  const backup = part && at.records.get(part.backup)
  if (!part?.records || backup?.kind !== 'backup') return undefined
  return { ...part, ...(await withoutGone(at, part, headOf(bodyOf(backup) as unknown as BackupBody))) }
}

/** A part without the records that were forgotten since, and without those that were made from any of them. */
async function withoutGone(at: BackupPorts, part: BackupPartBody, head: PartHead): Promise<Part> {
  const { records: ids = [], text, piece } = part
  const all = piece || text === '' ? [] : await readBack(at, text)
  const { kinds } = at.records
  const sourcesOf = (record: Stored<JsonObject>) => {
    const kind = kinds.get(record.kind)
    return kind ? sourceIds(kind, bodyOf(record), record.id) : []
  }
  const asked = new Set([...ids, ...all.flatMap(sourcesOf)])
  const gone = new Set(
    await at.records.write(({ records }) => [...asked].filter((id) => records.wasForgotten(id))),
  )
  if (gone.size === 0) return part
  if (piece) return ids.some((id) => gone.has(id)) ? { ...part, records: [], text: '' } : part
  let left = all.filter(({ id }) => !gone.has(id))
  for (let before = -1; before !== left.length;) {
    before = left.length
    left = left.filter((record) => !sourcesOf(record).some((id) => gone.has(id)) || !gone.add(record.id))
  }
  if (left.length === 0) return { records: [], text: '' }
  const listed = [...kinds.values()]
  return { records: left.map(({ id }) => id), text: await bundleOf(at, left, head, listed) }
}
