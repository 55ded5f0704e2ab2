// Nonces of requests that agents have signed, as a mirror that keeps its book in one database writes them down.
// Invariant: a nonce of an agent is taken once for as long as a request with it could pass.
import type { SqlDatabase } from '../../core/ports.ts'

export interface AgentNonces {
  /** Keeps a nonce until then (milliseconds since 1970 UTC); false when it is kept already. */
  take(agent: string, nonce: string, until: { readonly untilMs: number; readonly nowMs: number }): boolean
  /** Removes those that are not needed any more; answers how many are left. */
  forgetBefore(ms: number): number
}

export function openAgentNonces(db: SqlDatabase): AgentNonces {
  return {
    take: (agent, nonce, { untilMs, nowMs }) =>
      db.all(
        `INSERT INTO agent_nonces (agent, nonce, until_ms) VALUES (?, ?, ?)
         ON CONFLICT (agent, nonce) DO UPDATE SET until_ms = excluded.until_ms WHERE until_ms < ?
         RETURNING nonce`,
        [agent, nonce, untilMs, nowMs],
      ).length > 0,
    forgetBefore(ms) {
      db.run('DELETE FROM agent_nonces WHERE until_ms < ?', [ms])
      return db.get<{ n: number }>('SELECT count(*) AS n FROM agent_nonces')?.n ?? 0
    },
  }
}
