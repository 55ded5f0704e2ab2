// The manifest in both of its shapes, and by hash: what it says of a capability changes only when somebody means it to.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createManifest } from '../../../src/doors/manifest.ts'
import { fieldTextKey, fieldTextTables, pathOfCapability } from '../../../src/doors/field-text/field-text.ts'
import { memoryAgent } from '../../../src/doors/p3394/transport.ts'
import { seedShapes } from '../../../src/doors/seed-shape/seed-shape.ts'
import { capabilityTable } from '../../../src/engine/capability-table.ts'
import { canonicalText } from '../../../src/core/text/canonical-json.ts'

const manifest = createManifest(capabilityTable, {
  wire: 1,
  version: '1.0.0',
  transports: [{ type: 'http', endpoint: 'http://127.0.0.1:8787' }],
})
const entry = (id: string) => manifest.capabilities.find((one) => one.capability_id === id)
const hash = (value: unknown) =>
  createHash('sha256')
    .update(canonicalText(value as never))
    .digest('hex')
    .slice(0, 16)

describe('the manifest', () => {
  it('says who the agent is, and each capability in both shapes', () => {
    expect(manifest).toMatchObject({
      name: 'daybook',
      agent: {
        agent_id: memoryAgent,
        display_name: 'Daybook',
        version: '1.0.0',
        type: 'subagent',
        transports: [{ type: 'http', endpoint: 'http://127.0.0.1:8787' }],
      },
    })
    for (const one of manifest.capabilities) {
      expect(one.capability_id).toBe(one.id)
      expect(one.description.length).toBeGreaterThan(10)
      for (const schema of [one.input, one.output, one.input_schema, one.output_schema])
        expect([one.id, typeof schema]).toEqual([one.id, 'object'])
    }
    const ids = manifest.capabilities.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.slice(0, capabilityTable.length)).toEqual(capabilityTable.map(({ id }) => id))
  })

  it('has every id of the shapes of others, with what their messages carry', () => {
    const named = seedShapes.map(({ names: [id] }) => id).filter((id) => id.includes(':'))
    expect(named.filter((id) => entry(id) === undefined)).toEqual([])
    expect(entry('kstar:store_trace')).toMatchObject({
      input_schema: { required: ['situation', 'task', 'action'] },
      output_schema: { properties: { trace_id: { type: 'string' } } },
      output: { properties: { id: { type: 'string' } } },
    })
    expect(entry('kstar:query_traces')?.output_schema).toMatchObject({ type: 'array' })
    expect(entry('kstar:export_bundle')).toMatchObject({
      input_schema: { properties: { include_tokens: { default: false }, types: { type: 'array' } } },
      output_schema: { required: ['bundle'] },
      methods: [],
    })
    expect(entry('kstar:import_bundle')).toMatchObject({
      input_schema: { required: ['bundle'] },
      output_schema: { properties: { imported_count: { type: 'number' } } },
    })
  })

  it('has every option of a bundle in the shapes of others', () => {
    const fieldsOf = (id: string) =>
      Object.keys((entry(id)?.input_schema as { properties: object } | undefined)?.properties ?? {})
    expect(fieldsOf('kstar:export_bundle').toSorted()).toEqual(
      ['from', 'include_sensitive', 'include_tokens', 'passphrase', 'sign', 'to', 'types'].toSorted(),
    )
    expect(fieldsOf('kstar:import_bundle')).toEqual(
      expect.arrayContaining(['allow_incomplete', 'dry_run', 'include_tokens', 'passphrase', 'signed_by']),
    )
  })

  it('describes each field of each capability', () => {
    const bare: string[] = []
    const used = new Set<string>()
    const visit = (value: unknown, path: readonly string[]): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [keyword, one] of Object.entries(value)) {
        if (['const', 'enum', 'default'].includes(keyword)) continue
        if (keyword !== 'properties') visit(one, path)
        else
          for (const [name, schema] of Object.entries(one as Record<string, { description?: string }>)) {
            const field = [...path, name]
            used.add(fieldTextKey(field) ?? '')
            if (!schema.description) bare.push(field.join('.'))
            visit(schema, field)
          }
      }
    }
    for (const { id, input, output, input_schema, output_schema } of manifest.capabilities) {
      for (const schema of [input, input_schema]) visit(schema, pathOfCapability(id, 'input'))
      for (const schema of [output, output_schema]) visit(schema, pathOfCapability(id, 'output'))
    }
    expect(bare).toEqual([])
    expect(used.size).toBeGreaterThan(700)
  })

  it('describes each path once', () => {
    const keys = fieldTextTables.flatMap((table) => Object.keys(table))
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([])
    const texts = fieldTextTables.flatMap((table) => Object.values(table))
    expect(texts.filter((text) => text.endsWith('.') || text.length > 160)).toEqual([])
  })

  // `npm test -- manifest -u` writes it anew, for whoever means the change.
  it('says of each capability what it said', async () => {
    const hashes = Object.fromEntries(manifest.capabilities.map((one) => [one.id, hash(one)]))
    await expect(`${JSON.stringify(hashes, undefined, 2)}\n`).toMatchFileSnapshot('manifest-hash.json')
  })
})
