// Bundles for tests, written by the code that ships, from records that a test makes up.
import { writeBundle } from '../../src/bundle/format/bundle-writer.ts'
import type { RecordSnapshot } from '../../src/core/capability/transfer.ts'
import type { Kind } from '../../src/core/kind.ts'
import type { JsonObject } from '../../src/core/json/path.ts'
import type { Ports } from '../../src/core/ports.ts'
import type { Stored } from '../../src/core/record.ts'

export function snapshotOf(records: readonly Stored<JsonObject>[]): RecordSnapshot {
  const lists = Map.groupBy(
    [...records].sort((a, b) => (a.id < b.id ? -1 : 1)),
    ({ kind }) => kind,
  )
  return {
    counts: new Map([...lists].map(([kind, list]) => [kind, list.length])),
    sealed: 0,
    locked: 0,
    read(kind, from) {
      const list = lists.get(kind) ?? []
      return { records: list.slice(from, from + 2), next: from + 2 < list.length ? from + 2 : undefined }
    },
  }
}

export async function bundleOf(
  records: readonly Stored<JsonObject>[],
  kinds: readonly Kind[],
  { digest }: Pick<Ports, 'digest'>,
): Promise<string> {
  let text = ''
  const pieces = writeBundle({
    head: {
      exported_at: '2026-02-01T00:00:00.000Z',
      agent: { id: 'tester', type: 'daybook', version: '0.1.0' },
    },
    kinds,
    snapshot: snapshotOf(records),
    digest: digest.start(),
    createIntegrity: (checksum) => Promise.resolve({ checksum }),
    onProgress: () => undefined,
  })
  for await (const piece of pieces) text += piece
  return text
}
