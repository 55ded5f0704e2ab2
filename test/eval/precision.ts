// PrecisionMemBench: beliefs with owners, scopes, aliases, pins and successors, and which of them a question may return.
// A folder with `beliefs.seed.json` and `retrieval.cases.json`. A belief is a fact of its owner; what is resolved or
// pinned is told by a field, what is superseded by its successor, and recall keeps what scores 0.6 of the best.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defined } from '../../src/core/defined.ts'
import type { Filters } from '../../src/core/filter/filter.ts'
import { keptShare, mean } from '../golden/measure.ts'
import type { Figures } from '../golden/set-measure.ts'
import type { EvalBook } from './eval-book.ts'

interface Belief {
  readonly id: string
  readonly user_id: string
  readonly canonical_name?: string
  readonly aliases?: readonly string[]
  readonly content?: string
  readonly scope?: readonly string[]
  readonly epistemic_status?: string
  readonly pinned?: boolean
  readonly resolved_at?: string | null
  readonly superseded_by?: string | null
}
interface Case {
  readonly caseId: string
  readonly scope?: readonly string[]
  readonly query: string
  readonly userId?: string
  readonly expect?: {
    readonly relevantBeliefs?: {
      readonly mustInclude?: readonly string[]
      readonly shouldOnlyInclude?: readonly string[]
      readonly mustNotInclude?: readonly string[]
    }
  }
}

export async function evalPrecision(
  path: string,
  open: () => Promise<EvalBook>,
): Promise<Readonly<Record<string, Figures>>> {
  const read = async <Item>(name: string) =>
    JSON.parse(await readFile(join(path, name), 'utf8')) as readonly Item[]
  const beliefs = (await read<Omit<Belief, 'id'> & Record<'_id', string>>('beliefs.seed.json')).map(
    ({ ['_id']: id, ...belief }): Belief => ({ id, ...belief }),
  )
  const cases = await read<Case>('retrieval.cases.json')
  const one = await open()
  await storeAll(one, beliefs)
  await one.ready()
  const judged = []
  let forbidden = 0
  for (const { scope, query, userId, expect } of cases) {
    const wanted = expect?.relevantBeliefs
    const right = new Set([...(wanted?.mustInclude ?? []), ...(wanted?.shouldOnlyInclude ?? [])])
    if (right.size === 0) continue
    const owner = userId ?? beliefs[0]?.user_id
    const { hits } = await one.recall({
      // The set is judged, not its order.
      cut: 'sharp',
      text: query,
      kinds: ['fact'],
      limit: 20,
      filters: visible(scope),
      ...defined({ resource: owner }),
    })
    const best = hits[0]?.score ?? 0
    const found = hits.filter(({ score }) => score >= keptShare * best).map(({ record }) => record.id)
    const met = found.filter((id) => right.has(id)).length
    const must = wanted?.mustInclude ?? [...right]
    forbidden += found.filter((id) => wanted?.mustNotInclude?.includes(id)).length
    judged.push({
      precision: found.length === 0 ? 0 : met / found.length,
      recall: must.length === 0 ? 1 : must.filter((id) => found.includes(id)).length / must.length,
      exact: found.length === right.size && met === right.size ? 1 : 0,
    })
  }
  await one.close()
  return {
    active: {
      precision: mean(judged.map(({ precision }) => precision)),
      recall: mean(judged.map(({ recall }) => recall)),
      exact: mean(judged.map(({ exact }) => exact)),
      forbidden,
      cases: judged.length,
    },
  }
}

const isActive = ({ epistemic_status: status = 'active', resolved_at: resolved }: Belief) =>
  status === 'active' && (resolved === undefined || resolved === null)

/** Stores each belief after those it replaces. A fact stands in the place of one: the others it replaces are inactive. */
async function storeAll({ book }: EvalBook, beliefs: readonly Belief[]): Promise<void> {
  const stored = new Set<string>()
  const store = async (belief: Belief, isReplacedBeside = false): Promise<void> => {
    if (stored.has(belief.id)) return
    stored.add(belief.id)
    const before = beliefs.filter((one) => one.superseded_by === belief.id && !stored.has(one.id))
    for (const [i, one] of before.entries()) await store(one, i > 0)
    await book.facts.store({
      id: belief.id,
      schema: 'belief',
      data: {
        name: belief.canonical_name ?? '',
        aliases: [...(belief.aliases ?? [])],
        content: belief.content ?? '',
        scope: [...(belief.scope ?? [])],
        active: isActive(belief) && !isReplacedBeside,
        pinned: belief.pinned === true,
      },
      resource: belief.user_id,
      ...(before[0] ? { supersedes: before[0].id } : {}),
    })
  }
  for (const belief of beliefs) await store(belief)
}

/** Active, not pinned (those are shown anyway), and in one of the scopes or everybody's. */
function visible(scope: readonly string[] | undefined): Filters {
  const all: Filters = { 'data.active': true, 'data.pinned': false }
  if (!scope || scope.length === 0) return all
  const scopes = [...new Set([...scope, 'user:universal'])]
  return { ...all, or: scopes.map((one) => ({ 'data.scope': { contains: one } })) }
}
