// What was written where and on top of what, so that a test can ask of each write what became of it.
import type { ConflictEntry } from '../../../src/core/op.ts'
import type { Site, World } from './mirror-world.ts'

interface Write {
  readonly record: string
  readonly op: 'put' | 'forget'
  /** What a put says: no two say the same. A forget says nothing. */
  readonly token: string
  readonly by: string
  /** What its author saw, or undefined when there was nothing to see. */
  readonly seen: string | undefined
}

/** Writes through `site` and remembers it. */
export interface History {
  put(site: Site, by: string, kind: string, record: string): Promise<void>
  forget(site: Site, by: string, record: string): Promise<void>
  /** The writes that are neither visible, nor superseded by somebody who saw them, nor in a conflict log. */
  lost(world: World, sites: readonly Site[]): Promise<Write[]>
}

export function createHistory(): History {
  const writes: Write[] = []
  const see = async (site: Site, record: string) => (await site.get(record))?.['text'] as string | undefined

  return {
    async put(site, by, kind, record) {
      const seen = await see(site, record)
      const token = `w${writes.length + 1}`
      await site.put(kind, record, { text: token })
      writes.push({ record, op: 'put', token, by, seen })
    },
    async forget(site, by, record) {
      const seen = await see(site, record)
      if (await site.forget(record))
        writes.push({ record, op: 'forget', token: `w${writes.length + 1}`, by, seen })
    },
    async lost(world, sites) {
      const visible = await world.mirror.all()
      const logs: ConflictEntry[] = (await Promise.all(sites.map((site) => site.conflicts()))).flat()
      const inLog = (write: Write) =>
        logs.some(({ record, loser }) =>
          write.op === 'put'
            ? loser.body?.['text'] === write.token
            : record === write.record && loser.op === 'forget',
        )
      const superseded = (write: Write, i: number) =>
        write.op === 'put'
          ? writes.some((other) => other.record === write.record && other.seen === write.token)
          : writes.slice(i + 1).some((other) => other.record === write.record && other.seen === undefined)
      const isVisible = ({ record, op, token }: Write) =>
        op === 'put' ? visible[record]?.['text'] === token : visible[record] === undefined
      return writes.filter((write, i) => !isVisible(write) && !superseded(write, i) && !inLog(write))
    },
  }
}
