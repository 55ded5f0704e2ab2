// Where the books of an edge are archived, and how often, as its deployment configures it. Invariant: what is configured
// wrongly keeps no book from opening: it is not archived, and what would be says why.
import type { ArchivePlaces, UploadNotes } from '../../core/capability/port/archive-port.ts'
import type { Recurring } from '../../core/capability/recurring.ts'
import { parseDuration } from '../../core/calendar/duration.ts'
import { DaybookError, toDaybookError } from '../../core/errors.ts'
import type { Log } from '../../core/ports.ts'
import type { ArchiveEnv } from './archive-env.ts'
import { R2Store } from './r2-store.ts'

const words: Readonly<Record<string, string>> = { hourly: '1h', daily: '1d', weekly: '1w' }
const hourMs = 3_600_000
const path = /^[A-Za-z0-9!_.*'()-]+(?:\/[A-Za-z0-9!_.*'()-]+)*$/

/** The places of a book at this edge: the bucket bound as `ARCHIVE`, if there is one. */
export function edgeArchives(env: ArchiveEnv, notes: UploadNotes): ArchivePlaces | undefined {
  const { ARCHIVE: bucket } = env
  if (!bucket) return undefined
  return {
    open(target) {
      if (target !== undefined) {
        throw new DaybookError(
          'invalid-input',
          '`target`: An edge archives to the bucket that it is bound to.',
          {
            details: { path: 'target' },
          },
        )
      }
      return new R2Store({ bucket, prefix: prefixOf(env), notes })
    },
  }
}

/** What is archived again and again, as the settings say: nothing without `DAYBOOK_ARCHIVE_EVERY`. */
export function edgeRounds(env: ArchiveEnv, log: Log): readonly Recurring[] {
  try {
    return readRounds(env)
  } catch (error) {
    log.warn('Books of this edge are not archived', { why: toDaybookError(error).message })
    return []
  }
}

function readRounds(env: ArchiveEnv): readonly Recurring[] {
  const { ARCHIVE: bucket, DAYBOOK_ARCHIVE_EVERY: asked } = env
  if (!asked) return []
  const every = words[asked] ?? asked
  if ((parseDuration(every) ?? 0) < hourMs)
    throw misconfigured('DAYBOOK_ARCHIVE_EVERY takes `daily`, `weekly`, or an hour and more as `12h`')
  if (!bucket) throw misconfigured('DAYBOOK_ARCHIVE_EVERY is set, but no bucket is bound as ARCHIVE')
  prefixOf(env)
  const keep = countOf(env, 'DAYBOOK_ARCHIVE_KEEP')
  const days = countOf(env, 'DAYBOOK_ARCHIVE_DAYS')
  const input = { ...(keep === undefined ? {} : { keep }), ...(days === undefined ? {} : { days }) }
  return [{ id: 'edge.archive', capability: 'archive:put', input, every, at: 'mirror' }]
}

function prefixOf({ DAYBOOK_ARCHIVE_PREFIX: text = '' }: ArchiveEnv): string {
  const trimmed = text.replaceAll(/^\/+|\/+$/g, '')
  if (trimmed === '') return ''
  if (trimmed.length > 700 || !path.test(trimmed))
    throw misconfigured("DAYBOOK_ARCHIVE_PREFIX has letters, digits, `/` and any of `!_.*'()-`")
  return `${trimmed}/`
}

function countOf(env: ArchiveEnv, name: 'DAYBOOK_ARCHIVE_KEEP' | 'DAYBOOK_ARCHIVE_DAYS'): number | undefined {
  const { [name]: text } = env
  if (!text) return undefined
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text)
  throw misconfigured(`${name} takes a whole number from 1`)
}

/** The deployment is at fault, not who calls. */
const misconfigured = (what: string) =>
  new DaybookError('archive-off', `The archives of this edge are not configured rightly: ${what}.`)
