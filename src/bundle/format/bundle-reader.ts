// Reads a bundle that comes in pieces, in any spelling of its JSON: any order of members, any white space, escapes and
// numbers. Records are handed out as they come, so what is made of them must wait: only `end` says that the bundle is whole
// and as it was written.
import type { Json } from '../../core/json/path.ts'
import { cutOff, wrong } from './bundle-fault.ts'
import { type BundleSummary, ReadBundle, type ReadBundleParts, type ReadRecord } from './read-bundle.ts'
import { createTextFeed, type Reading } from './text-feed.ts'

export interface BundleReader {
  /** Takes a piece; answers the records that are complete now. */
  push(piece: string): ReadRecord[]
  /** The bundle is whole: throws `invalid-file` when it is not what its checksum says. Answers the last records. */
  end(): { readonly summary: BundleSummary; readonly records: ReadRecord[] }
}

/** The longest record, in characters. */
const recordLimit = 8_000_000
/** The longest of anything beside the lists. */
const memberLimits: Readonly<Record<string, number>> = {
  format: 200,
  version: 100,
  exported_at: 100,
  agent: 100_000,
  schemas_used: recordLimit,
  statistics: 100_000,
  integrity: 10_000,
}

export function createBundleReader(parts: ReadBundleParts): BundleReader {
  const feed = createTextFeed()
  const bundle = new ReadBundle(parts)

  function* readAll(): Reading<BundleSummary> {
    yield* feed.expect('{', 'format')
    if (!(yield* feed.tryTake('}'))) {
      do {
        const name = text(yield* feed.value(200, 'format'), 'format')
        bundle.begin(name)
        yield* feed.expect(':', name)
        if (name === 'memory') yield* readMemory()
        else bundle.member(name, json(yield* feed.value(memberLimits[name] ?? 0, name), name))
      } while (yield* feed.tryTake(','))
      yield* feed.expect('}', 'integrity')
    }
    yield* feed.finish('integrity')
    return bundle.end()
  }

  function* readMemory(): Reading<void> {
    yield* feed.expect('{', 'memory')
    bundle.openMemory()
    if (yield* feed.tryTake('}')) return
    do {
      const list = text(yield* feed.value(200, 'memory'), 'memory')
      const path = `memory.${list}`
      yield* feed.expect(':', path)
      yield* feed.expect('[', path)
      bundle.openList(list, path)
      if (!(yield* feed.tryTake(']'))) {
        for (let n = 0; ; n++) {
          const place = `${path}.${n}`
          bundle.record(json(yield* feed.value(recordLimit, place), place), place)
          if (yield* feed.tryTake(']')) break
          yield* feed.expect(',', place)
        }
      }
      bundle.sum.closeList()
    } while (yield* feed.tryTake(','))
    yield* feed.expect('}', 'memory')
  }

  const reading = readAll()
  let done: BundleSummary | undefined
  const go = () => {
    if (done) return
    const step = reading.next()
    if (step.done) done = step.value
  }
  go()
  return {
    push(piece) {
      feed.push(piece)
      if (piece !== '') go()
      return bundle.take()
    },
    end() {
      feed.end()
      go()
      if (!done) throw cutOff('')
      return { summary: done, records: bundle.take() }
    },
  }
}

function text(raw: string, path: string): string {
  const value = json(raw, path)
  if (typeof value !== 'string') throw wrong(path, 'A text is wanted here')
  return value
}

function json(raw: string, path: string): Json {
  try {
    return JSON.parse(raw) as Json
  } catch (cause) {
    throw wrong(path, 'This is not JSON', cause)
  }
}
