// The edit distance of two words: letters deleted, inserted, replaced, or swapped with the next (optimal string
// alignment: Damerau 1964, no letter changed twice). Pure.

/** The distance in UTF-16 units; `max + 1` for any greater distance than `max`. */
export function editDistance(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1
  let rowBeforeLast: number[] = []
  let lastRow = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let rowMin = i
    for (let j = 1; j <= b.length; j++) {
      const isSameLetter = a[i - 1] === b[j - 1]
      let steps = Math.min(
        (lastRow[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (lastRow[j - 1] ?? 0) + (isSameLetter ? 0 : 1),
      )
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isExchanged) steps = Math.min(steps, (rowBeforeLast[j - 2] ?? 0) + 1)
      row.push(steps)
      rowMin = Math.min(rowMin, steps)
    }
    if (rowMin > max) return max + 1
    rowBeforeLast = lastRow
    lastRow = row
  }
  return Math.min(lastRow[b.length] ?? 0, max + 1)
}
