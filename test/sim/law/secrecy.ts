// What the mirror can read, looked at after every step: nothing that was sealed, and of a sealed record nothing from before.
import type { Stage } from '../stage/stage.ts'
import { none } from './same.ts'

/** Every token that a text of JSON says in clear. */
const said = /(?:text|description|collection)\\*":\\*"(w\d+)/g
/** Of a sealed record: what is in clear of its versions, its lost edits, and its words in the index. */
const inClear = `
  SELECT r.id AS id, 'history' AS place FROM history h JOIN records r ON r.seq = h.seq
    WHERE r.kid IS NOT NULL AND h.op = 'put' AND substr(h.body, 1, 1) = '{'
  UNION ALL SELECT c.record, 'conflicts' FROM conflicts c JOIN records r ON r.id = c.record
    WHERE r.kid IS NOT NULL AND (substr(c.loser_body, 1, 1) = '{' OR substr(c.winner_body, 1, 1) = '{'
      OR substr(c.base_body, 1, 1) = '{')`

export function checkSecrecy({ world, ledger }: Stage): void {
  const sealed = new Set(ledger.writes.flatMap(({ isSealed, token }) => (isSealed ? [token] : [])))
  // A decision can say again, sealed, a token that was said in the open and is at the mirror until the sealed one comes.
  for (const { isSealed, token } of ledger.writes) if (!isSealed) sealed.delete(token)
  if (sealed.size === 0) return
  const { disk } = world.mirror
  none(disk.db.all(inClear), 'Nothing of a sealed record is in clear at the mirror')
  const text = JSON.stringify([...disk.save().values()])
  const found = [...text.matchAll(said)].flatMap(([, token = '']) => (sealed.has(token) ? [token] : []))
  none(found, 'Nothing that was sealed is in clear at the mirror')
}
