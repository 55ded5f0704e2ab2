// Law of folders: entries side by side (files, and each sub-folder as a whole) never import each other in a
// circle. Types count, because a reader of one has to read the other.

/** @typedef {{ from: string, to: string }} Arrow Who imports whom; paths from the root. */

/**
 * Circles in the folders, with advice.
 * @param {readonly Arrow[]} arrows
 * @returns {string[]}
 */
export function judgeFolders(arrows) {
  /** The arrows between two entries of one folder, by folder. @type {Map<string, Arrow[]>} */
  const inside = new Map()
  for (const arrow of arrows) {
    const folder = sharedFolder(arrow)
    if (folder !== undefined) inside.set(folder, [...(inside.get(folder) ?? []), arrow])
  }
  return [...inside].flatMap(([folder, own]) => circlesOf(folder, own))
}

/** The innermost folder of both; nothing for a file that imports itself. @param {Arrow} arrow */
function sharedFolder({ from, to }) {
  if (from === to) return undefined
  const there = to.split('/')
  const differs = from.split('/').findIndex((name, at) => name !== there[at])
  return there.slice(0, differs).join('/')
}

/** @param {string} folder @param {readonly Arrow[]} arrows */
function circlesOf(folder, arrows) {
  const depth = folder === '' ? 0 : folder.split('/').length
  const entryOf = (/** @type {string} */ file) => file.split('/')[depth] ?? ''
  /** One arrow for each two entries, as the example of them all. @type {Map<string, Map<string, Arrow>>} */
  const next = new Map()
  for (const arrow of arrows) {
    const reached = next.get(entryOf(arrow.from)) ?? new Map()
    next.set(entryOf(arrow.from), reached.set(entryOf(arrow.to), reached.get(entryOf(arrow.to)) ?? arrow))
  }
  const reported = new Set()
  return [...next.keys()].toSorted().flatMap((entry) => {
    if (reported.has(entry)) return []
    const circle = shortestCircle(entry, next)
    for (const arrow of circle) reported.add(entryOf(arrow.from))
    return circle.length === 0 ? [] : [describe(folder, circle, entryOf)]
  })
}

/** @param {string} start @param {Map<string, Map<string, Arrow>>} next @returns {Arrow[]} */
function shortestCircle(start, next) {
  /** @type {{ at: string, way: Arrow[] }[]} */
  const waiting = [{ at: start, way: [] }]
  const seen = new Set()
  for (const { at, way } of waiting) {
    for (const [entry, arrow] of next.get(at) ?? []) {
      if (entry === start) return [...way, arrow]
      if (!seen.has(entry)) waiting.push({ at: entry, way: [...way, arrow] })
      seen.add(entry)
    }
  }
  return []
}

/** @param {string} folder @param {readonly Arrow[]} circle @param {(file: string) => string} entryOf */
function describe(folder, circle, entryOf) {
  const names = [...circle, circle[0]].map((arrow) => (arrow ? entryOf(arrow.from) : ''))
  return [
    `${folder === '' ? 'the root' : folder} has a circle, ${names.join(' → ')}: move what both sides need below them, or what only one needs into it.`,
    ...circle.map(({ from, to }) => `    ${from} imports ${to}`),
  ].join('\n')
}
