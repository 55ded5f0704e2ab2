// Ids: one table of prefixes, and no id that is spelled beside it.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { nodesOf } from '../../../scripts/walls/imports.mjs'
import { isRecordId } from '../../../src/core/ids.ts'
import { idPrefixes } from '../../../src/core/text/name-id.ts'
import { chapters } from '../../../src/engine/capability-table.ts'

/** Prefixes that another specification spells. */
const foreign = new Map<string, readonly string[]>([
  ['a2p', ['mem_', 'prop_', 'policy_', 'rcpt_', 'req_']],
  ['Katra', ['mcp_']],
  ['KafClaw', ['kp-', 'kf-', 'tr-']],
  ['W3C', ['did:key:']],
])
const isForeign = (prefix: string) => [...foreign.values()].some((ones) => ones.includes(prefix))

it('begins each id of ours with its noun and `::`, and no two with the same', () => {
  const faults = Object.entries(idPrefixes).filter(([name, one]) => one !== `${name}::` && !isForeign(one))
  expect(faults).toEqual([])
  expect(new Set(Object.values(idPrefixes)).size).toBe(Object.keys(idPrefixes).length)
  for (const prefix of Object.values(idPrefixes)) expect(isRecordId(`${prefix}1`), prefix).toBe(true)
})

it('gives a kind the prefix of its name', () => {
  for (const { name, idPrefix } of chapters.flatMap(({ kinds }) => kinds))
    if (idPrefix !== undefined)
      expect([name, idPrefix]).toEqual([name, idPrefixes[name as keyof typeof idPrefixes]])
})

/** Texts that begin like an id and are none: names of copies of a book, of keys, files, columns, tools and verbs. */
const others = new Map([
  ['src/commons/pool/rule/judge-fact.ts', ['version_gap_']],
  ['src/doors/seed-shape/a2p-shape.ts', ['a2p_']],
  ['src/hosts/browser/storage/opfs-pool.ts', ['daybook-']],
  ['src/hosts/browser/open-inspector.ts', ['daybook-inspector-']],
  ['src/hosts/node/cli/record-commands.ts', ['store_']],
  ['src/hosts/node/socket/socket-place.ts', ['daybook-']],
  ['src/recall/embed/lsa-embedder.ts', ['book-']],
  ['src/store/book-store.ts', ['d_']],
  ['src/store/repair/checkpoint.ts', ['b_']],
  ['src/store/schema/derived.ts', ['derived_', 'derived_']],
  ['src/sync/mirror/mirror.ts', ['e_']],
  ['src/trust/seal/key-pair.ts', ['k_']],
  ['src/trust/seal/keychain.ts', ['k_']],
  ['worker/free-pages.ts', ['free_pages_']],
])

it('spells no id beside the table', () => {
  const found = new Map<string, string[]>()
  for (const file of globSync(['src/**/*.ts', 'worker/**/*.ts'])) {
    for (const node of nodesOf(file, readFileSync(file, 'utf8'))) {
      const isText = node.type === 'TemplateLiteral' && node.expressions.length > 0
      const isSum = node.type === 'BinaryExpression' && node.operator === '+'
      const begins = isText ? node.quasis[0].value.raw : isSum ? node.left.value : ''
      if (/^[a-z\d]+(?:[-_][a-z\d]+)*(?:[-_]|::)$/.test(String(begins)))
        found.set(file, [...(found.get(file) ?? []), begins])
    }
  }
  for (const [file, texts] of others) expect(found.get(file) ?? [], file).toEqual(texts)
  expect([...found].filter(([file]) => !others.has(file))).toEqual([])
})
