// What two texts say differently, word by word. Invariant: the kept and removed parts together are the text before, the kept
// and added parts together the text after.

export interface TextPart {
  readonly change: 'kept' | 'removed' | 'added'
  readonly text: string
}

/** Beyond this many pairs of words the middle counts as replaced, so that two long texts never hold up the page. */
const maxPairs = 1_000_000

/** Numbers, words, spaces and single signs: what a reader takes for one thing. */
const wordPattern = /\s+|\d+(?:[.,:]\d+)+|[\p{L}\p{M}\p{N}_]+|[^\s\p{L}\p{M}\p{N}_]/gu

/** The parts of both texts in reading order; neighbours always differ in their change. Longest common subsequence of words. */
export function textDifference(before: string, after: string): TextPart[] {
  const a = before.match(wordPattern) ?? []
  const b = after.match(wordPattern) ?? []
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  const removed = a.slice(start, a.length - end)
  const added = b.slice(start, b.length - end)
  return joined([
    { change: 'kept', text: a.slice(0, start).join('') },
    ...middle(removed, added),
    { change: 'kept', text: a.slice(a.length - end).join('') },
  ])
}

function middle(a: readonly string[], b: readonly string[]): TextPart[] {
  if (a.length * b.length > maxPairs)
    return [
      { change: 'removed', text: a.join('') },
      { change: 'added', text: b.join('') },
    ]
  const lengths = commonLengths(a, b)
  const width = b.length + 1
  const parts: TextPart[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const left = a[i] ?? ''
    const right = b[j] ?? ''
    if (i < a.length && j < b.length && left === right) {
      parts.push({ change: 'kept', text: left })
      i++
      j++
    } else if (
      j >= b.length ||
      (i < a.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      parts.push({ change: 'removed', text: left })
      i++
    } else {
      parts.push({ change: 'added', text: right })
      j++
    }
  }
  return parts
}

/** For every pair of places, how many words the rest of both has in common, in this order. */
function commonLengths(a: readonly string[], b: readonly string[]): Uint32Array {
  const width = b.length + 1
  const lengths = new Uint32Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        a[i] === b[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
  return lengths
}

/** Neighbours of the same change as one part; of a stretch of changes, what is removed stands before what is added. */
function joined(parts: readonly TextPart[]): TextPart[] {
  const all: TextPart[] = []
  let removed = ''
  let added = ''
  const close = () => {
    if (removed !== '') all.push({ change: 'removed', text: removed })
    if (added !== '') all.push({ change: 'added', text: added })
    removed = ''
    added = ''
  }
  let kept = ''
  for (const { change, text } of parts) {
    if (text === '') continue
    if (change === 'kept') {
      close()
      kept += text
      continue
    }
    if (kept !== '') all.push({ change: 'kept', text: kept })
    kept = ''
    if (change === 'removed') removed += text
    else added += text
  }
  close()
  if (kept !== '') all.push({ change: 'kept', text: kept })
  return all
}
