// What policies let somebody read, as a condition of SQL over `facets f` and `records r`, with the meaning of
// core/access/governed.ts: of the kinds that they decide about.
// Invariant: what a policy says only ever becomes a bound parameter, one for each time it stands here; and in doubt the answer
// is no.
import { type Governed, rankOf } from '../../core/access/governed.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import { sensitivities } from '../../core/sealed.ts'
import type { Fragment } from '../schema/column.ts'
import { hasStars, patternRow, quote, starMatch } from './reach-list-sql.ts'
import { segmentsOf } from './scope-fragment.ts'

/** The condition that `governed` lets the record be read; undefined where no kind is decided about. */
export function governedSql(governed: Governed, kinds: Kinds): Fragment | undefined {
  const asked = [...kinds.values()].filter(({ byPolicy }) => byPolicy)
  if (asked.length === 0) return undefined
  const readable = readableSql(governed, asked)
  return { sql: `(f.kind NOT IN (${namesOf(asked)}) OR ${readable.sql})`, params: readable.params }
}

const namesOf = (kinds: readonly Kind[]) => kinds.map(({ name }) => quote(name)).join(', ')

/** How sensitive a record of these names may be, against how sensitive it is. What is denied comes first, and is less than any. */
export function readableSql({ rules, deny }: Governed, asked: readonly Kind[]): Fragment {
  const rows = [
    ...deny.map((one) => [...patternRow(one), -1, -1, 1]),
    ...rules.flatMap(({ place, upTo, allow, isLimit }) =>
      allow.map((one) => [...patternRow(one), place, rankOf(upTo), isLimit ? 0 : 1]),
    ),
  ]
  const stars = hasStars([...rules.flatMap(({ allow }) => allow), ...deny])
  const segments = stars ? `, ${segmentsOf('s.name')} AS segments` : ''
  return {
    sql: `ifnull(${ownRank(asked)} <= (
      WITH p AS MATERIALIZED (SELECT value ->> 0 AS text, value ->> 1 AS low, value ->> 2 AS high, value -> 3 AS parts,
          value ->> 4 AS rest, value ->> 5 AS place, value ->> 6 AS up_to, value ->> 7 AS opens FROM json_each(?)),
        m AS MATERIALIZED (SELECT p.place, p.up_to, p.opens FROM (SELECT s.name${segments} FROM scope_names s
            WHERE s.seq = f.seq LIMIT -1) n JOIN p
          ON n.name = p.text OR (n.name >= p.low AND n.name < p.high)${stars ? ` OR ${starMatch}` : ''}),
        q AS MATERIALIZED (SELECT min(m.place) AS first FROM m WHERE m.opens = 1)
      SELECT min((SELECT max(m.up_to) FROM m WHERE m.place = q.first AND m.opens = 1),
        ifnull((SELECT min(m.up_to) FROM m WHERE m.place < q.first), ${rankOf('restricted')})) FROM q), 0)`,
    params: [JSON.stringify(rows)],
  }
}

function ownRank(asked: readonly Kind[]): string {
  const defaults = asked.map(
    ({ name, sensitivity = 'standard' }) => `WHEN ${quote(name)} THEN '${sensitivity}'`,
  )
  const ranks = sensitivities.map((one) => `WHEN '${one}' THEN ${rankOf(one)}`)
  const most = rankOf('restricted')
  return `CASE ifnull(r.sensitivity, CASE r.kind ${defaults.join(' ')} END) ${ranks.join(' ')} ELSE ${most} END`
}
