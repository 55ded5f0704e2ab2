// Policies as a SQL condition over `facets f` and `records r`, with the meaning of core/access/governed.ts, for the
// kinds that policies govern (`byPolicy` in core/kind.ts).
// Invariant: the content of a policy is a bound parameter only. In doubt a record can't be read.
import { type Governed, rankOf } from '../../core/access/governed.ts'
import type { Kind, Kinds } from '../../core/kind.ts'
import { sensitivities } from '../../core/sealed.ts'
import type { Fragment } from '../schema/column.ts'
import { hasStars, patternRow, quoteKindName, segmentsSql, starMatchSql } from './reach-list-sql.ts'

/** The condition that `governed` permits to read the record; undefined when policies govern no kind. */
export function governedSql(governed: Governed, kinds: Kinds): Fragment | undefined {
  const byPolicy = [...kinds.values()].filter((kind) => kind.byPolicy)
  if (byPolicy.length === 0) return undefined
  const readable = readableSql(governed, byPolicy)
  return { sql: `(f.kind NOT IN (${kindNamesSql(byPolicy)}) OR ${readable.sql})`, params: readable.params }
}

const kindNamesSql = (kinds: readonly Kind[]) => kinds.map(({ name }) => quoteKindName(name)).join(', ')

/**
 * Compares a record's sensitivity with the highest permitted for its names. A denied name comes first, with rank -1.
 */
export function readableSql({ rules, deny }: Governed, byPolicy: readonly Kind[]): Fragment {
  // A row of `p`: a pattern, the place of its rule (lower ones come first), the highest permitted rank, and 0
  // for a rule that is only a limit. `m` has the rows that match a name of the record, `q` the first place
  // among them that is more than a limit.
  const rows = [
    ...deny.map((pattern) => [...patternRow(pattern), -1, -1, 1]),
    ...rules.flatMap(({ place, upTo, allow, isLimit }) =>
      allow.map((pattern) => [...patternRow(pattern), place, rankOf(upTo), isLimit ? 0 : 1]),
    ),
  ]
  const withSegments = hasStars([...rules.flatMap(({ allow }) => allow), ...deny])
  const segments = withSegments ? `, ${segmentsSql('s.name')} AS segments` : ''
  return {
    sql: `ifnull(${recordRankSql(byPolicy)} <= (
      WITH p AS MATERIALIZED (SELECT value ->> 0 AS text, value ->> 1 AS low, value ->> 2 AS high, value -> 3 AS parts,
          value ->> 4 AS rest, value ->> 5 AS place, value ->> 6 AS up_to, value ->> 7 AS opens FROM json_each(?)),
        m AS MATERIALIZED (SELECT p.place, p.up_to, p.opens FROM (SELECT s.name${segments} FROM scope_names s
            WHERE s.seq = f.seq LIMIT -1) n JOIN p
          ON n.name = p.text OR (n.name >= p.low AND n.name < p.high)${withSegments ? ` OR ${starMatchSql}` : ''}),
        q AS MATERIALIZED (SELECT min(m.place) AS first FROM m WHERE m.opens = 1)
      SELECT min((SELECT max(m.up_to) FROM m WHERE m.place = q.first AND m.opens = 1),
        ifnull((SELECT min(m.up_to) FROM m WHERE m.place < q.first), ${rankOf('restricted')})) FROM q), 0)`,
    params: [JSON.stringify(rows)],
  }
}

function recordRankSql(byPolicy: readonly Kind[]): string {
  const defaults = byPolicy.map(
    ({ name, sensitivity = 'standard' }) => `WHEN ${quoteKindName(name)} THEN '${sensitivity}'`,
  )
  const ranks = sensitivities.map((sensitivity) => `WHEN '${sensitivity}' THEN ${rankOf(sensitivity)}`)
  const highestRank = rankOf('restricted')
  return `CASE ifnull(r.sensitivity, CASE r.kind ${defaults.join(' ')} END) ${ranks.join(' ')} ELSE ${highestRank} END`
}
