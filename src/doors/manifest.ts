// The manifest: describes a book's capabilities as data. Each entry has Daybook's fields and the fields of P3394,
// whose `input_schema` and `output_schema` describe the content of messages.
import { z } from 'zod'
import type { AnyCapability, VerbPlace } from '../core/capability/capability.ts'
import type { Schema } from '../core/schema.ts'
import { pathOfCapability, withFieldTexts } from './field-text/field-text.ts'
import { memoryAgent } from './p3394/transport.ts'
import { findSeedShape, type SeedShape, seedShapes } from './seed-shape/seed-shape.ts'

export interface Manifest {
  readonly name: 'daybook'
  readonly wire: number
  readonly agent: ManifestAgent
  readonly capabilities: readonly ManifestEntry[]
}

/** The book as an agent, with its transports. */
export interface ManifestAgent {
  readonly agent_id: typeof memoryAgent
  readonly display_name: string
  readonly version: string
  readonly type: 'subagent'
  readonly transports: readonly ManifestTransport[]
}

export interface ManifestTransport {
  readonly type: 'direct' | 'unix_socket' | 'mcp_stdio' | 'http'
  readonly endpoint?: string
  readonly path?: string
  readonly command?: string
  readonly args?: readonly string[]
}

/** Daybook's description of a capability. */
export interface CapabilityEntry {
  readonly id: string
  readonly summary: string
  /** Methods of a book that call the capability, such as `traces.store`. */
  readonly methods: readonly string[]
  /** `read`: changes nothing. `write`: one transaction. `task`: may take long. */
  readonly effect: 'read' | 'write' | 'task'
  /**
   * The place where the capability runs: every copy of a book, the owner's devices, the mirror, or a device with
   * private keys.
   */
  readonly runs: VerbPlace
  /** JSON Schema, draft 2020-12. */
  readonly input: JsonSchema
  readonly output: JsonSchema
}

export interface ManifestEntry extends CapabilityEntry {
  /** The fields of P3394. `capability_id` equals `id`; the others are from the seed shape of that id, if any. */
  readonly capability_id: string
  readonly description: string
  /** JSON Schema of the content of a message; `output_schema`: of its answer. */
  readonly input_schema: JsonSchema
  readonly output_schema: JsonSchema
}

export type JsonSchema = Readonly<Record<string, unknown>>

interface ManifestOptions {
  /** The version of the sync protocol that the host supports. */
  readonly wire: number
  readonly version: string
  readonly transports: readonly ManifestTransport[]
}

/**
 * Creates the manifest: every capability of `table`, then each id that only a seed shape has. Such an id is left out
 * if `table` lacks the first capability of its shape.
 */
export function createManifest(
  table: readonly DescribedCapability[],
  { wire, version, transports }: ManifestOptions,
): Manifest {
  const byId = new Map(table.map((capability) => [capability.id, capability]))
  // The first name of a shape is an id, with a colon, or the name of a tool, such as `katra_register`. The manifest
  // lists only ids.
  const seedOnlyShapes = seedShapes.filter(({ names: [id] }) => id.includes(':') && !byId.has(id))
  return {
    name: 'daybook',
    wire,
    agent: { agent_id: memoryAgent, display_name: 'Daybook', version, type: 'subagent', transports },
    capabilities: [
      ...table.map((capability) => describeWithShape(capability, findSeedShape(capability.id))),
      ...seedOnlyShapes.flatMap((shape) => {
        const capability = byId.get(shape.capabilities[0])
        return capability ? [describeSeedOnly(capability, shape)] : []
      }),
    ],
  }
}

/** The fields of a capability that the manifest describes. */
export type DescribedCapability = Pick<AnyCapability, keyof CapabilityEntry>

/** Describes one capability as data. */
export function describeCapability({
  id,
  summary,
  methods,
  effect,
  runs = 'anywhere',
  input,
  output,
}: DescribedCapability): CapabilityEntry {
  return {
    id,
    summary,
    methods,
    effect,
    runs,
    input: toJsonSchema(input, 'input', id),
    output: toJsonSchema(output, 'output', id),
  }
}

function describeWithShape(capability: DescribedCapability, shape: SeedShape | undefined): ManifestEntry {
  const entry = describeCapability(capability)
  return {
    ...entry,
    capability_id: entry.id,
    description: shape?.summary ?? entry.summary,
    input_schema: shape
      ? toJsonSchema(shape.input as unknown as Schema, 'input', shape.names[0])
      : entry.input,
    output_schema: shape?.answerSchema
      ? toJsonSchema(shape.answerSchema as unknown as Schema, 'output', shape.names[0])
      : entry.output,
  }
}

/**
 * Describes an id that only a seed shape has. `capability`: the first capability of the shape; the entry has its
 * `effect` and `runs`.
 */
function describeSeedOnly(capability: DescribedCapability, shape: SeedShape): ManifestEntry {
  const { input_schema: input, output_schema: output, ...entry } = describeWithShape(capability, shape)
  const [id] = shape.names
  return {
    ...entry,
    id,
    summary: shape.summary,
    methods: [],
    input,
    output,
    capability_id: id,
    input_schema: input,
    output_schema: output,
  }
}

/**
 * Converts the input or output of `id` to JSON Schema, each field with its description. JSON Schema can't express
 * checks in code and transformed values: such parts accept any value.
 */
export function toJsonSchema(schema: Schema, io: 'input' | 'output', id: string): JsonSchema {
  const json = z.toJSONSchema(schema as unknown as z.ZodType, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  })
  return withFieldTexts(json as JsonSchema, pathOfCapability(id, io))
}
