// The sync rows: for each peer two devices, each a page of an origin of its own, and rounds in which every peer has its turn.
import type { Page } from 'playwright'
import type { BenchRun, Failure } from '../bench-run.ts'
import { openPages } from '../open-page.ts'
import { serveEdge, servePouchdb, serveRxdb } from '../sync/sync-server.ts'
import type { SyncBench } from '../sync-page.ts'

/** Milliseconds of each row of one round. */
export interface SyncRound {
  /** A device with 1,000 unsent traces. */
  readonly push: number
  /** An empty device, of a room with `size` traces. */
  readonly first: number
  /** One trace there that is new: from its writer to the mirror, and from the mirror to the other device. */
  readonly one: number
  readonly idle: number
}

export interface SyncFigures {
  readonly size: number
  readonly peers: Readonly<Record<string, { name: string; mode: string; rounds: SyncRound[] }>>
  readonly failures: readonly Failure[]
}

declare const bench: SyncBench

const pushed = 1000

/** Measures every peer in `rounds` rounds. */
export async function runSync(run: BenchRun): Promise<SyncFigures> {
  const size = run.sizes?.[0] ?? (run.quick ? 2000 : 10_000)
  const figures: Record<string, { name: string; mode: string; rounds: SyncRound[] }> = {}
  const failures: Failure[] = []
  const writers = await openPages(run, 'sync', { suffix: '-writer' })
  const readers = await openPages(run, 'sync', { suffix: '-reader' })
  const origins = ['writer', 'reader'].map((which) => new URL(run.url(`daybook-${which}`, 'sync')).origin)
  const servers = {
    daybook: await serveEdge(origins),
    rxdb: await serveRxdb(),
    pouchdb: await servePouchdb(),
  }
  try {
    const keys = [...writers.keys()]
    for (let round = 0; round < run.rounds; round++) {
      for (const key of [...keys.slice(round % keys.length), ...keys.slice(0, round % keys.length)]) {
        const [writer, reader] = [writers.get(key), readers.get(key)]
        if (!writer || !reader || failures.some(({ peer }) => peer === key)) continue
        run.progress(`sync, round ${round + 1} of ${run.rounds}: ${key}`)
        try {
          figures[key] ??= { ...(await writer.evaluate((peer) => bench.describe(peer), key)), rounds: [] }
          const { url } = servers[key as keyof typeof servers]
          figures[key].rounds.push(await measure(key, { writer, reader, size, url, round }))
        } catch (error) {
          failures.push({ peer: key, error: String(error) })
        }
      }
    }
  } finally {
    for (const server of Object.values(servers)) await server.close()
  }
  for (const page of [...writers.values(), ...readers.values()]) await page.close()
  return { size, peers: figures, failures }
}

async function measure(
  key: string,
  {
    writer,
    reader,
    size,
    url,
    round,
  }: { writer: Page; reader: Page; size: number; url: string; round: number },
): Promise<SyncRound> {
  const room = `bench-${round}-${Date.now()}`
  const sync = (page: Page) => page.evaluate(() => bench.sync())
  const store = (count: number) => writer.evaluate((n) => bench.store(n), count)
  for (const page of [writer, reader])
    await page.evaluate(([peer, name, server]) => bench.open(peer, name, server), [key, room, url] as const)
  // Both ends know each other; what is measured is not their first meeting.
  await store(1)
  await sync(writer)
  await store(pushed)
  const push = await sync(writer)
  for (let left = size - pushed - 1; left > 0; left -= pushed) {
    await store(Math.min(left, pushed))
    await sync(writer)
  }
  const first = await sync(reader)
  await store(1)
  const one = (await sync(writer)) + (await sync(reader))
  const idle = await sync(reader)
  const count = await reader.evaluate(() => bench.count())
  if (count !== size + 1) throw new Error(`${count} traces came of ${size + 1}`)
  for (const page of [writer, reader]) await page.evaluate(() => bench.close())
  return { push, first, one, idle }
}
