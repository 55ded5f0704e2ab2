// Removes what is left of a forgotten record: lost edits in the conflict log, answers to calls, its words in the text index.
// Invariant: its tombstone stays, without content, so that no mirror brings the record back.
import type { SqlDatabase } from '../core/ports.ts'
import type { Projection } from './projection.ts'

export interface Purge {
  /** Removes the content of `id` that a tombstone left elsewhere. Inside a transaction; the record is forgotten. */
  purge(id: string, seq: number): void
}

export function createPurge(db: SqlDatabase, projection: Projection): Purge {
  return {
    purge(id, seq) {
      db.run('DELETE FROM history WHERE seq = ?', [seq])
      db.run('DELETE FROM conflicts WHERE record = ?', [id])
      // Answers name ids; one that speaks of this record may quote it.
      db.run('DELETE FROM applied_requests WHERE instr(result, ?) > 0', [JSON.stringify(id)])
      projection.catchUpWithin()
      // The index only marks what is deleted; merging all of it into one piece leaves the words out for good.
      db.run("INSERT INTO text_index (text_index) VALUES ('optimize')")
    },
  }
}
