// One spelling: a record's fields are spelled as its specification spells them, everything else of ours in camelCase.
import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { nodesOf } from '../../../scripts/walls/imports.mjs'
import { headFields } from '../../../src/core/record.ts'
import type { Schema } from '../../../src/core/schema.ts'
import { capabilityTable, chapters } from '../../../src/engine/capability-table.ts'

/** Chapters whose kinds KSTAR, KS2.2 and Katra specify. The kinds of all others are of a2p, of the pool, or ours. */
const snakeChapters = new Set(['kstar', 'conversation', 'mark', 'trust', 'continuity'])
/** A kind of a2p in one of these chapters. */
const camelKind = 'agent_key'
/** Fields that another specification names, in a record or an input of a camelCase chapter. */
const named = new Map([
  ['memory_type', 'a2p, of a proposal and a memory'],
  ['ci_id', 'Katra, of a persona'],
  ['valid_from', 'of a perception, of a fact'],
  ['valid_until', 'as of a perception, of a rule'],
  ['superseded_at', 'a part of a profile, beside its fact'],
  ['superseded_by', 'a part of a profile, beside its fact'],
  ['target_agent', 'KS2.2, of a message'],
  ['on_wake', "KSTAR's triggers of sync"],
  ['on_idle', "KSTAR's triggers of sync"],
  ['on_action', "KSTAR's triggers of sync"],
  ['input_schema', 'a tool of a model'],
  ['exported_at', 'the head of a bundle'],
  ['resource_name', 'OAuth, of a protected resource'],
  ['authorization_servers', 'OAuth, of a protected resource'],
  ['bearer_methods_supported', 'OAuth, of a protected resource'],
])
/** Files that declare types of other formats, or rows of tables. */
const foreign =
  /^src\/(?:store|bundle\/(?:importer|format)|doors\/(?:adapter|http\/a2p|manifest|p3394|seed-shape)|hosts\/node\/postgres)/

interface JsonSchema {
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly [keyword: string]: unknown
}

/** Names of all fields of a schema, with those within them. */
function fieldsOf(schema: Schema, io: 'input' | 'output'): Set<string> {
  const json = z.toJSONSchema(schema as unknown as z.ZodType, { io, unrepresentable: 'any' })
  const found = new Set<string>()
  const waiting: unknown[] = [json]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (typeof node !== 'object' || node === null) continue
    for (const name of Object.keys((node as JsonSchema).properties ?? {})) found.add(name)
    waiting.push(...Object.values(node))
  }
  return found
}

const isSnake = (name: string) => /^[a-z\d]+(?:_[a-z\d]+)+$/.test(name)
const isCamel = (name: string) => /[a-z\d][A-Z]/.test(name)
const fieldsOfKinds = (isOfSnake: boolean) =>
  chapters.flatMap(({ name: chapter, kinds }) =>
    kinds
      .filter(({ name }) => (snakeChapters.has(chapter) && name !== camelKind) === isOfSnake)
      .map((kind) => [kind.name, fieldsOf(kind.schema, 'output')] as const),
  )
const snakeFields = new Set<string>([
  ...headFields,
  ...fieldsOfKinds(true).flatMap(([, fields]) => [...fields]),
])
const isAllowed = (name: string) => !isSnake(name) || snakeFields.has(name) || named.has(name)

it('spells the fields of a record as its specification does', () => {
  const faults = [
    ...fieldsOfKinds(true).flatMap(([kind, fields]) =>
      [...fields].filter(isCamel).map((name) => `${kind}.${name}`),
    ),
    ...fieldsOfKinds(false).flatMap(([kind, fields]) =>
      [...fields].filter((name) => isSnake(name) && !named.has(name)).map((name) => `${kind}.${name}`),
    ),
  ]
  expect(faults).toEqual([])
})

it('spells what a verb takes and answers beside records in camelCase', () => {
  const faults = capabilityTable.flatMap(({ id, input, output }) =>
    [...fieldsOf(input, 'input'), ...fieldsOf(output, 'output')]
      .filter((name) => !isAllowed(name))
      .map((name) => `${id}: ${name}`),
  )
  expect(faults).toEqual([])
})

it('declares no other field in snake_case, outside of the formats of others and of rows', () => {
  const files = globSync(['src/**/*.ts', 'worker/**/*.ts']).filter((file) => !foreign.test(file))
  const faults = files.flatMap((file) =>
    [...nodesOf(file, readFileSync(file, 'utf8'))]
      .filter(({ type }) => type === 'TSPropertySignature')
      .map(({ key }: { key?: { name?: string } }) => key?.name ?? '')
      .filter((name) => !isAllowed(name))
      .map((name) => `${file}: ${name}`),
  )
  expect(faults).toEqual([])
})
