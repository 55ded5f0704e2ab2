// Paths of the memory tool. Invariant: no spelling of a path leaves /memories.
import { adapterError } from '../adapter-error.ts'

const root = '/memories'

/** A path below /memories; no segments: /memories itself. */
export interface MemoryPath {
  /** As the model wrote it, for the answers. */
  readonly said: string
  readonly segments: readonly string[]
}

/** Reads a path of the model's. Throws `invalid-input` for one that does not begin with /memories or leads out of it. */
export function readPath(said: unknown, field = 'path'): MemoryPath {
  if (typeof said !== 'string' || (said !== root && !said.startsWith(`${root}/`))) {
    throw adapterError('invalid-input', `Path must start with /memories, got: ${String(said)}`, {
      path: field,
    })
  }
  const segments = resolved(said.slice(root.length).split('/'))
  const isWithin = spellings(said).every((one) => resolved(one.slice(root.length).split('/')) !== undefined)
  if (segments === undefined || !isWithin || said.includes('\0')) {
    throw adapterError('invalid-input', `Path ${said} would escape /memories directory`, { path: field })
  }
  return { said, segments }
}

/** The segments without `.` and `..`; undefined when they lead above where they begin. */
function resolved(segments: readonly string[]): string[] | undefined {
  const left: string[] = []
  for (const segment of segments) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') left.push(segment)
    else if (left.pop() === undefined) return undefined
  }
  return left
}

/** What else a path may be read as: percent signs decoded, also twice, and backslashes that part segments. */
function spellings(said: string): string[] {
  const found = [said.replaceAll('\\', '/')]
  for (let text = said, rounds = 0; rounds < 3; rounds++) {
    text = text
      .replaceAll(/%2e/giu, '.')
      .replaceAll(/%2f/giu, '/')
      .replaceAll(/%5c/giu, '/')
      .replaceAll(/%25/gu, '%')
    found.push(text.replaceAll('\\', '/'))
  }
  return found
}
