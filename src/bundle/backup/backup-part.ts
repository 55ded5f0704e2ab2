// The records of a persona, and the parts of its backup. A part is a bundle of as many records as fit, or a piece
// of the bundle of one large record.
// Invariant: a part has every field of its records, checked before it is stored; a rebuilt part has no record that
// is gone.
import { DaybookError, isDaybookError } from '../../core/errors.ts'
import { sourceIds, isOpenKind, type Kind } from '../../core/kind.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { bodyOf, type Stored } from '../../core/record.ts'
import { canonicalText } from '../../core/text/canonical-json.ts'
import { nameId } from '../../core/text/name-id.ts'
import { BundleIntake } from '../format/bundle-intake.ts'
import { recordText } from '../format/bundle-shape.ts'
import { product } from '../format/product.ts'
import { writeBundle } from '../format/bundle-writer.ts'
import type { BackupBody, BackupPartBody } from './backup-kind.ts'
import type { TaskContext } from '../../core/capability/context.ts'
import type { RecordSnapshot } from '../../core/capability/transfer.ts'
import { markId } from '../../core/mark.ts'
import { isLowered, type Sensitivity } from '../../core/sealed.ts'

/** Most backups of a persona; most characters of a backup, of a part, and of the records in a part. */
export const backupLimit = { kept: 30, characters: 10_000_000, part: 200_000, records: 180_000 } as const

/** Agent and time of the backup. They stay the same when a part is written again. */
interface PartHead {
  readonly agent: string
  readonly exported_at: string
}

export type Part = Pick<BackupPartBody, 'records' | 'text' | 'piece'>

export const backupFailed = (why: string, details: Record<string, unknown> = {}) =>
  new DaybookError('backup-failed', why, { details })

export const backupPartId = (backup: string, number: number) => nameId('backup_part', backup, String(number))

/** The parts of a backup, each verified by reading it back. Throws `too-large` for a backup over the limit. */
export async function writeParts(
  at: BackupPorts,
  { byKind, kinds }: PersonaRecords,
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
        'The records of the persona are too large for a backup. Export the book instead.',
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

/** Returns a text as one part. A text longer than a part has one record, and is cut into pieces. */
function piecesOf(text: string, records: readonly string[]): Part[] {
  const of = Math.ceil(text.length / backupLimit.part)
  if (of === 1) return [{ records: [...records], text }]
  return Array.from({ length: of }, (_, n) => ({
    records: [...records],
    text: text.slice(n * backupLimit.part, (n + 1) * backupLimit.part),
    piece: { n, of },
  }))
}

/** A bundle of the records, as text. */
async function bundleOf(
  at: BackupPorts,
  records: readonly Stored<JsonObject>[],
  { agent, exported_at }: PartHead,
  kinds: PersonaRecords['kinds'],
): Promise<string> {
  const byKind = Map.groupBy(records, ({ kind }) => kind)
  let text = ''
  const pieces = writeBundle({
    head: { exported_at, agent: { id: agent, ...product } },
    kinds: kinds.filter(({ name }) => byKind.has(name)),
    snapshot: asSnapshot({ kinds, byKind, sensitivity: undefined }),
    digest: at.transfer.digest.start(),
    seal: (checksum) => Promise.resolve({ checksum }),
    onRecords: (done) => at.call.progress({ done, total: done, subject: 'backup' }),
  })
  for await (const piece of pieces) text += piece
  return text
}

/** The checksum of the texts of all parts, as they were made. */
export function partsChecksum(at: BackupPorts, texts: readonly string[]): string {
  const digest = at.transfer.digest.start()
  for (const text of texts) digest.update(text)
  return `sha256:${digest.hex()}`
}

/** Parses the records of a part. Throws `backup-failed` for a part that can't be read. */
async function readBack(at: BackupPorts, text: string): Promise<Stored<JsonObject>[]> {
  const found: Stored<JsonObject>[] = []
  const intake = new BundleIntake(
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
    throw backupFailed(error instanceof Error ? error.message : 'The backup can’t be read.')
  }
  return found
}

async function verify(at: BackupPorts, text: string, records: readonly Stored<JsonObject>[]): Promise<void> {
  const found = new Map((await readBack(at, text)).map((one) => [one.id, recordText(one)]))
  const wrong = records.find((one) => !containsRecord(recordText(one), found.get(one.id)))
  if (wrong ?? found.size !== records.length)
    throw backupFailed('The backup differs from the book. Make it again.', { id: wrong?.id })
}

/** True if the bundle's record has every field of the book's; it may add defaults. */
function containsRecord(one: string, other: string | undefined): boolean {
  if (other === undefined) return false
  const copy = JSON.parse(other) as JsonObject
  return Object.entries(JSON.parse(one) as JsonObject).every(
    ([field, value]) => canonicalText(copy[field] ?? null) === canonicalText(value),
  )
}

function bodyOfPart({ records }: Pick<BackupPorts, 'records'>, id: string): BackupPartBody | undefined {
  const part = records.get(id)
  return part?.kind === 'backup_part' ? (bodyOf(part) as unknown as BackupPartBody) : undefined
}

/** The texts of a backup without records that are gone. Throws `backup-failed` for a missing or damaged part. */
export async function readParts(at: BackupPorts, id: string, backup: BackupBody): Promise<string[]> {
  const texts: string[] = []
  let pieces = ''
  for (let number = 0; number < backup.parts; number += 1) {
    const part = bodyOfPart(at, backupPartId(id, number))
    if (!part)
      throw backupFailed('A part of the backup is missing. Restore another backup.', { id, part: number })
    if (!part.records)
      throw backupFailed(
        'An earlier Daybook made this backup, and it may have forgotten records. Make a new one.',
        {
          id,
        },
      )
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

const headOf = ({ agents: [agent = ''], madeAt }: BackupBody): PartHead => ({ agent, exported_at: madeAt })

/** The part without records that are gone; undefined if the part or its backup does not exist. */
export async function rebuiltPart(at: BackupPorts, id: string): Promise<BackupPartBody | undefined> {
  const part = bodyOfPart(at, id)
  const backup = part && at.records.get(part.backup)
  if (!part?.records || backup?.kind !== 'backup') return undefined
  return { ...part, ...(await withoutGone(at, part, headOf(bodyOf(backup) as unknown as BackupBody))) }
}

/**
 * A part without forgotten records, and without records made from them. A piece of a forgotten record becomes
 * empty.
 */
async function withoutGone(at: BackupPorts, part: BackupPartBody, head: PartHead): Promise<Part> {
  const { records: ids = [], text, piece } = part
  const all = piece || text === '' ? [] : await readBack(at, text)
  const { kinds } = at.records
  const sourcesOf = (record: Stored<JsonObject>) => {
    const kind = kinds.get(record.kind)
    return kind ? sourceIds(kind, bodyOf(record), record.id) : []
  }
  const candidates = new Set([...ids, ...all.flatMap(sourcesOf)])
  const gone = new Set(
    await at.records.write(({ records }) => [...candidates].filter((id) => records.wasForgotten(id))),
  )
  if (gone.size === 0) return part
  if (piece) return ids.some((id) => gone.has(id)) ? { ...part, records: [], text: '' } : part
  let remaining = all.filter(({ id }) => !gone.has(id))
  for (let before = -1; before !== remaining.length;) {
    before = remaining.length
    remaining = remaining.filter(
      (record) => !sourcesOf(record).some((id) => gone.has(id)) || !gone.add(record.id),
    )
  }
  if (remaining.length === 0) return { records: [], text: '' }
  const listed = [...kinds.values()]
  return { records: remaining.map(({ id }) => id), text: await bundleOf(at, remaining, head, listed) }
}

export type BackupPorts = TaskContext<'records' | 'transfer'>

export interface BackupPersona {
  readonly name: string
  /** The agents of its records. */
  readonly agents: readonly [string, ...string[]]
}

/**
 * The persona of this name, id or agent. Default: the persona of the call. Throws `forbidden` if a persona names
 * another one, `not-found` for an unknown name, and `conflict` if the calling agent is no persona.
 */
export function backupPersona(
  { call, records }: Pick<BackupPorts, 'call' | 'records'>,
  called?: string,
): BackupPersona {
  const own = call.scope.agent
  const all = records.query({ kind: 'persona', orderBy: ['registered_at', 'id'], limit: 1000 }).records
  const named = (text: string) => all.find(({ id, agent, name }) => [id, agent, name].includes(text))
  const mine = named(own)
  const found = called === undefined ? mine : named(called)
  if (mine && found && mine['name'] !== found['name'])
    throw new DaybookError('forbidden', 'A persona can back up only itself.', {
      details: { path: 'persona' },
    })
  if (found) {
    const same = all.filter(({ id, agent, name }) => id === agent && name === found['name'])
    const [first = found.agent, ...more] = found.id === found.agent ? same.map(({ agent }) => agent) : []
    return { name: String(found['name']), agents: [first, ...more] }
  }
  if (called !== undefined) {
    throw new DaybookError(
      'not-found',
      `There is no persona \`${called.slice(0, 80)}\`. Name a registered one.`,
      {
        details: { path: 'persona' },
      },
    )
  }
  throw new DaybookError('conflict', 'The calling agent is no persona. Name one.', {
    details: { path: 'persona', reason: 'not-initialized' },
  })
}

export interface PersonaRecords {
  readonly kinds: readonly Kind[]
  readonly byKind: ReadonlyMap<string, readonly Stored<JsonObject>[]>
  readonly sensitivity: Sensitivity | undefined
}

/** All records and marks of a persona. Throws `locked` if one can't be read here, as a backup must be complete. */
export function personaRecords(at: BackupPorts, { agents }: BackupPersona): PersonaRecords {
  const kinds = [...at.records.kinds.values()].filter((one) => !one.bound && !one.guarded && !isOpenKind(one))
  const byKind = new Map<string, Stored<JsonObject>[]>()
  let sensitivity: Sensitivity | undefined
  const add = (record: Stored<JsonObject>) => {
    const listed = byKind.get(record.kind) ?? []
    if (listed.some(({ id }) => id === record.id)) return
    listed.push(record)
    byKind.set(record.kind, listed)
    if (record.sensitivity && isLowered(sensitivity, record.sensitivity)) sensitivity = record.sensitivity
  }
  for (const kind of kinds) {
    for (let cursor: string | undefined; ;) {
      const page = at.records.query({
        kind: kind.name,
        filters: { agent: { in: [...agents] } },
        // Without `outdated`: a record that waits for its rebuild may quote a forgotten one.
        include: { expired: true, superseded: true },
        orderBy: 'id',
        limit: 1000,
        cursor,
      })
      if (page.sealed !== undefined) {
        throw new DaybookError('locked', `${page.sealed} records of the persona can't be read here.`, {
          details: { sealed: page.sealed },
        })
      }
      for (const record of page.records) {
        add(withoutMarks(record))
        const mark = record.marks && at.records.get(markId(record.id))
        if (mark) add(mark)
      }
      cursor = page.cursor
      if (cursor === undefined) break
    }
  }
  for (const list of byKind.values()) list.sort((a, b) => (a.id < b.id ? -1 : 1))
  return { kinds, byKind, sensitivity }
}

/** The record without its marks, which are records of their own. */
function withoutMarks({ marks: _marks, ...record }: Stored<JsonObject>): Stored<JsonObject> {
  return record as Stored<JsonObject>
}

/** The records in the form that the bundle writer reads. */
export function asSnapshot({ byKind }: PersonaRecords): RecordSnapshot {
  return {
    counts: new Map([...byKind].map(([kind, { length }]) => [kind, length])),
    sealed: 0,
    locked: 0,
    read(kind, from, length) {
      const list = byKind.get(kind) ?? []
      let taken = 0
      let next = from
      for (; next < list.length && taken < length; next += 1) taken += JSON.stringify(list[next]).length
      return { records: list.slice(from, next), next: next < list.length ? next : undefined }
    },
  }
}
