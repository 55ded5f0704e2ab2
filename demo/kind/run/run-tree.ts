// The steps of a run as a tree: a branch follows the step that it starts from. A sub-agent has a branch of its own.
// Invariant: each entry is one row, and a row is never above the row that it is beneath.

export interface TreeEntry {
  readonly id: string
  readonly kind: string
  readonly agent: string
  readonly metadata?: unknown
}

export interface TreeRow {
  /** The place of the entry in the order of time. */
  readonly place: number
  /** 0: the trunk. */
  readonly level: number
  /** The place of the step that the branch starts from. */
  readonly under: number | undefined
  /** The place of the step that it follows, if that is not the one before it in its branch. */
  readonly follows: number | undefined
  /** The number of rows directly beneath. */
  readonly beneath: number
  /** Its number among the rows of one step, from 1, and how many they are. */
  readonly nth: number
  readonly of: number
}

interface Branch {
  readonly agent: string
  readonly under: number | undefined
  readonly outer: Branch | undefined
  readonly members: number[]
}

/** Rows in the order of the tree, of entries in the order of time. */
export function treeOf(entries: readonly TreeEntry[]): TreeRow[] {
  const grown = new Growth(entries)
  const rows: TreeRow[] = []
  const waiting = grown.trunk.members.map((place) => ({ place, level: 0 })).toReversed()
  const siblings = new Map<number | undefined, number>([[undefined, 0]])
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { place, level } = next
    const under = grown.branchAt(place)?.under
    const nth = (siblings.get(under) ?? 0) + 1
    siblings.set(under, nth)
    const beneath = grown.beneath(place)
    for (const one of beneath.toReversed()) waiting.push({ place: one, level: level + 1 })
    const of = under === undefined ? grown.trunk.members.length : grown.beneath(under).length
    rows.push({ place, level, under, follows: grown.follows(place), beneath: beneath.length, nth, of })
  }
  return rows
}

/** The first follower of a step continues its branch, later ones and other agents start new branches. */
class Growth {
  readonly trunk: Branch
  readonly #branches: Branch[] = []
  readonly #follows: (number | undefined)[] = []
  readonly #lastSteps = new Map<Branch, number>()
  readonly #started = new Map<number, Branch[]>()
  readonly #ofAgent = new Map<string, Branch>()
  readonly #followed = new Set<number>()

  constructor(entries: readonly TreeEntry[]) {
    const first = entries.find(({ kind }) => kind === 'trace') ?? entries[0]
    this.trunk = { agent: first?.agent ?? '', under: undefined, outer: undefined, members: [] }
    this.#ofAgent.set(this.trunk.agent, this.trunk)
    const places = new Map(entries.map(({ id }, place) => [id, place]))
    let lastStep: number | undefined
    for (const [place, entry] of entries.entries()) {
      const parent = linksOf(entry)
        .map((id) => places.get(id))
        .find((one) => one !== undefined && one < place)
      const branch = parent === undefined ? this.#unlinked(entry, lastStep) : this.#linked(entry, parent)
      const before = this.#lastSteps.get(branch)
      const isWithin = parent !== undefined && this.#branches[parent] === branch
      this.#follows.push(isWithin && before !== parent ? parent : undefined)
      this.#branches.push(branch)
      branch.members.push(place)
      if (entry.kind !== 'trace') continue
      this.#lastSteps.set(branch, place)
      lastStep = place
    }
  }

  branchAt(place: number): Branch | undefined {
    return this.#branches[place]
  }

  beneath(place: number): number[] {
    return this.#started.get(place)?.flatMap(({ members }) => members) ?? []
  }

  follows(place: number): number | undefined {
    return this.#follows[place]
  }

  #linked({ agent }: TreeEntry, parent: number): Branch {
    const at = this.#branches[parent] ?? this.trunk
    for (let outer: Branch | undefined = at; outer; outer = outer.outer) {
      // A later follower of the same agent is a second way from there.
      if (outer.agent !== agent || (outer === at && this.#followed.has(parent))) continue
      if (outer === at) this.#followed.add(parent)
      return outer
    }
    return this.#start(agent, parent)
  }

  #unlinked({ agent, kind }: TreeEntry, lastStep: number | undefined): Branch {
    const own = this.#ofAgent.get(agent)
    if (own) return own
    return kind === 'trace' && lastStep !== undefined ? this.#start(agent, lastStep) : this.trunk
  }

  #start(agent: string, under: number): Branch {
    const branch = { agent, under, outer: this.#branches[under], members: [] }
    this.#started.set(under, [...(this.#started.get(under) ?? []), branch])
    if (!this.#ofAgent.has(agent)) this.#ofAgent.set(agent, branch)
    return branch
  }
}

function linksOf({ kind, metadata }: TreeEntry): readonly string[] {
  if (kind !== 'trace' || typeof metadata !== 'object' || metadata === null) return []
  const links: unknown = 'linked_traces' in metadata ? metadata.linked_traces : []
  return Array.isArray(links) ? links.filter((one) => typeof one === 'string') : []
}
