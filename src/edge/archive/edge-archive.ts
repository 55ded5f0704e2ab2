// Archives of an edge's books: the bucket and the interval, from the settings of the edge.
// Invariant: with wrong settings, books still open; they are not archived, and archive verbs throw the reason.
import type { ArchivePlaces, UploadNotes } from '../../core/capability/port/archive-port.ts'
import type { Recurring } from '../../core/capability/task.ts'
import { defined } from '../../core/defined.ts'
import { parseDuration } from '../../core/time.ts'
import { DaybookError, toDaybookError, invalidInput } from '../../core/errors.ts'
import type { Log } from '../../core/ports.ts'
import { R2Store, type ArchiveBucket } from './r2-store.ts'

const namedIntervals: Readonly<Record<string, string>> = { hourly: '1h', daily: '1d', weekly: '1w' }
const hourMs = 3_600_000
/** Names of characters that need no escape in a key, separated by `/`. */
const pathPattern = /^[A-Za-z0-9!_.*'()-]+(?:\/[A-Za-z0-9!_.*'()-]+)*$/

/**
 * Returns the archive storage of a book, the bucket bound as `ARCHIVE`; undefined without one. `notes`: the book's
 * notes of unfinished uploads.
 */
export function edgeArchivePlaces(env: ArchiveEnv, notes: UploadNotes): ArchivePlaces | undefined {
  const { ARCHIVE: bucket } = env
  if (!bucket) return undefined
  return {
    open(target) {
      if (target !== undefined) {
        throw invalidInput('target', 'An edge archives to its bound bucket only')
      }
      return new R2Store({ bucket, prefix: parsePrefix(env), notes })
    },
  }
}

/** Returns the scheduled archives; empty without `DAYBOOK_ARCHIVE_EVERY`. Logs wrong settings. */
export function edgeArchiveSchedule(env: ArchiveEnv, log: Log): readonly Recurring[] {
  try {
    return parseArchiveSchedule(env)
  } catch (error) {
    log.warn('Books of this edge are not archived', { why: toDaybookError(error).message })
    return []
  }
}

function parseArchiveSchedule(env: ArchiveEnv): readonly Recurring[] {
  const { ARCHIVE: bucket, DAYBOOK_ARCHIVE_EVERY: interval } = env
  if (!interval) return []
  const every = namedIntervals[interval] ?? interval
  if ((parseDuration(every) ?? 0) < hourMs)
    throw archiveSettingsError(
      'DAYBOOK_ARCHIVE_EVERY takes `daily`, `weekly`, or at least an hour, such as `12h`',
    )
  if (!bucket) throw archiveSettingsError('DAYBOOK_ARCHIVE_EVERY is set, but no bucket is bound as ARCHIVE')
  // Report a wrong prefix now, not at the first archive.
  parsePrefix(env)
  // Inputs of `archive:put`: how many archives to keep, and for how many days; absent: all.
  const keep = parseCount(env, 'DAYBOOK_ARCHIVE_KEEP')
  const days = parseCount(env, 'DAYBOOK_ARCHIVE_DAYS')
  const input = defined({ keep, days })
  // `at`: the task runs in this mirror, not in a device's engine.
  return [{ id: 'edge.archive', capability: 'archive:put', input, every, at: 'mirror' }]
}

/** Returns the prefix: empty, or a path that ends with `/`. A key has at most 1,024 bytes; the rest is for its name. */
function parsePrefix({ DAYBOOK_ARCHIVE_PREFIX: text = '' }: ArchiveEnv): string {
  const trimmed = text.replaceAll(/^\/+|\/+$/g, '')
  if (trimmed === '') return ''
  if (trimmed.length > 700 || !pathPattern.test(trimmed))
    throw archiveSettingsError("DAYBOOK_ARCHIVE_PREFIX has letters, digits, `/` and any of `!_.*'()-`")
  return `${trimmed}/`
}

function parseCount(
  env: ArchiveEnv,
  name: 'DAYBOOK_ARCHIVE_KEEP' | 'DAYBOOK_ARCHIVE_DAYS',
): number | undefined {
  const { [name]: text } = env
  if (!text) return undefined
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw archiveSettingsError(`${name} takes a whole number from 1`)
}

/** Creates the error for wrong settings: a fault of the deployment, not of the caller. */
const archiveSettingsError = (fault: string) =>
  new DaybookError('archive-off', `The archive settings of this edge are wrong: ${fault}.`)

export interface ArchiveEnv {
  /** An R2 bucket for archives of books: `archive:put`, `archive:list`, `archive:verify`. */
  readonly ARCHIVE?: ArchiveBucket
  /**
   * Interval of archives: `daily`, `weekly`, `hourly`, or a duration of at least an hour such as `12h`. Default: only
   * when called.
   */
  readonly DAYBOOK_ARCHIVE_EVERY?: string
  /** Prefix of archive keys, before the name of the book. Default: none. */
  readonly DAYBOOK_ARCHIVE_PREFIX?: string
  /** Archives to keep: number of newest ones, and days of age. Default: all. */
  readonly DAYBOOK_ARCHIVE_KEEP?: string
  readonly DAYBOOK_ARCHIVE_DAYS?: string
}
