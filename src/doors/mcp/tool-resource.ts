// What a set offers to be read beside its tools. Invariant: a resource is an answer of verbs that a tool of its set may call.
import { readGraph } from './graph/graph.ts'
import type { ToolCall } from './tool/tool.ts'
import type { ToolSetName } from './tool-set.ts'
import { askSeedShape } from '../seed-shape/seed-shape.ts'

export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly description: string
  /** Records of these kinds say something new of it when they change. */
  readonly kinds: readonly string[]
  read(at: ToolCall): Promise<unknown>
}

/** A row of the table of shapes, with its answer or what it answers in place of an error. */
async function shaped(name: string, at: ToolCall): Promise<unknown> {
  const { value } = await askSeedShape(name, {}, at)
  return value
}

const resources: Partial<Readonly<Record<ToolSetName, readonly McpResource[]>>> = {
  graph: [
    {
      uri: 'memory://knowledge-graph',
      name: 'knowledge-graph',
      description: 'The entire knowledge graph as JSON.',
      kinds: ['fact'],
      read(at) {
        let step = 0
        return readGraph((id, input) => at.call(id, input, step++))
      },
    },
  ],
  katra: [
    {
      uri: 'personal-collections://',
      name: 'personal-collections',
      description: 'The collections of memories, as JSON.',
      kinds: ['mark'],
      read: (at) => shaped('katra_get_collections', at),
    },
    {
      uri: 'turn-memories://',
      name: 'turn-memories',
      description: 'What was stored in the current turn, as JSON.',
      kinds: [],
      read: (at) => shaped('katra_review_turn', at),
    },
  ],
}

export function resourcesOf(sets: readonly ToolSetName[]): readonly McpResource[] {
  return sets.flatMap((set) => resources[set] ?? [])
}
