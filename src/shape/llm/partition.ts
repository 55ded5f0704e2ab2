// Long histories in parts that a language model takes. Invariant: nothing is left out, and no part is longer than the limit.

/** Lines in as few texts as fit the limit; a longer line is parted. */
export function partition(lines: readonly string[], limit: number): string[] {
  const pieces = lines.flatMap((line) => {
    const count = Math.max(1, Math.ceil(line.length / limit))
    return Array.from({ length: count }, (_, i) => line.slice(i * limit, (i + 1) * limit).toWellFormed())
  })
  const parts: string[] = []
  for (const piece of pieces) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + 1 + piece.length <= limit)
      parts[parts.length - 1] = `${last}\n${piece}`
    else parts.push(piece)
  }
  return parts
}
