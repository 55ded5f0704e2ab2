// The differences between two texts, word by word. Invariant: the kept and removed parts are the old text, the kept and added
// parts the new one.

export interface TextPart {
  readonly change: 'same' | 'removed' | 'added'
  readonly text: string
}

/** With more pairs of words, the middle counts as replaced, so that long texts do not block the page. */
const maxPairs = 1_000_000

/** Numbers, words, spaces and single signs. */
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
    { change: 'same', text: a.slice(0, start).join('') },
    ...middle(removed, added),
    { change: 'same', text: a.slice(a.length - end).join('') },
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
    const oldWord = a[i] ?? ''
    const newWord = b[j] ?? ''
    if (i < a.length && j < b.length && oldWord === newWord) {
      parts.push({ change: 'same', text: oldWord })
      i++
      j++
    } else if (
      j >= b.length ||
      (i < a.length && (lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0))
    ) {
      parts.push({ change: 'removed', text: oldWord })
      i++
    } else {
      parts.push({ change: 'added', text: newWord })
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

/** Joins neighbours with the same change; in a run of changes, removed text comes first. */
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
  let unchanged = ''
  for (const { change, text } of parts) {
    if (text === '') continue
    if (change === 'same') {
      close()
      unchanged += text
      continue
    }
    if (unchanged !== '') all.push({ change: 'same', text: unchanged })
    unchanged = ''
    if (change === 'removed') removed += text
    else added += text
  }
  close()
  if (unchanged !== '') all.push({ change: 'same', text: unchanged })
  return all
}
