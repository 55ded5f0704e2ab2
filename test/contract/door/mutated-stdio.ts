// Lines that were right calls of a tool and were changed, to a server of MCP over standard input: it answers what is a request, in
// the one error shape or with what was asked for, passes over the rest, and goes on.
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { createDice } from '../../support/dice.ts'
import { checkErrorShape, damage, mutations } from './mutation.ts'

const seed = 20_261_123
const fact = (n: number) => ({ schema: 'note', data: { text: `mutated ${n}` } })

interface Line {
  readonly id?: unknown
  readonly result?: {
    readonly isError?: boolean
    readonly content?: readonly { readonly text: string }[]
    readonly structuredContent?: { readonly id?: unknown }
  }
}

/** Says hello, `count` changed lines and a last right one; answers the ids of what was stored, which is the same each time. */
export async function sayMutated(
  { input, output }: { readonly input: Writable; readonly output: Readable },
  count: number,
): Promise<ReadonlySet<unknown>> {
  /** By id: the same record under the same id is stored once. */
  const succeeded = new Set<unknown>()
  const waiting = new Map<unknown, () => void>()
  createInterface({ input: output }).on('line', (line) => {
    const { id, result } = JSON.parse(line) as Line
    if (result?.isError) checkErrorShape(JSON.parse(result.content?.[0]?.text ?? ''))
    else if (result?.structuredContent?.id !== undefined) succeeded.add(result.structuredContent.id)
    waiting.get(id)?.()
  })
  const ask = (id: string, method: string, params: object) =>
    new Promise<void>((resolve) => {
      waiting.set(id, resolve)
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  await ask('hello', 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  input.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
  const dice = createDice(seed)
  const right = (n: number) => ({
    jsonrpc: '2.0',
    id: n + 1,
    method: 'tools/call',
    params: { name: 'store_fact', arguments: fact(n) },
  })
  let sent = 0
  for (const message of mutations(right, count, seed + 1)) {
    input.write(`${damage(JSON.stringify(message), dice)}\n`)
    // What was written before has been read when this is answered.
    if (++sent % 200 === 0) await ask(`ping-${sent}`, 'ping', {})
  }
  // Writes are done in their order: when this one is answered, so are all before it.
  await ask('last', 'tools/call', { name: 'store_fact', arguments: fact(-1) })
  return succeeded
}
