// Tables of the sets of tools that MCP serves, and of their resources. A tool outside of the chosen sets is not
// offered, even if the caller has the right.
// Invariant: a resource calls only verbs that a tool of its set may call.
import { type ToolSetName, toolSetNames, usualSets } from '../../book/tool/tool-source.ts'
import { invalidInput } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import { shownText } from '../../core/text/shown-text.ts'
import { withFieldTexts } from '../field-text/field-text.ts'
import { graphTools } from './graph-tool.ts'
import { offeredVerb, type McpTool, type ToolContext, type ToolQuestion } from './tool.ts'
import { shapeTool, verbTool } from './verb-tool.ts'
import { readGraph } from './graph.ts'
import { contextTool, usualTools } from './usual-tool.ts'
import { runSeedShape } from '../seed-shape/seed-shape.ts'

export { type ToolSetName, toolSetNames, usualSets } from '../../book/tool/tool-source.ts'

const toolFactories: Readonly<Record<ToolSetName, () => readonly McpTool[]>> = {
  /** Few tools, one for each need of a model: remember, recall, read, list, note work, forget. */
  recall: usualTools,
  /** Records of each kind by their own fields, and recall as a text for a prompt. */
  records: () => [
    contextTool(),
    verbTool('store_perception', 'kstar:store_perception'),
    verbTool('store_fact', 'kstar:store_fact'),
    verbTool('store_skill', 'kstar:store_skill'),
    verbTool('get_skill', 'kstar:get_skill'),
    verbTool('update_skill', 'kstar:update_skill_maturity'),
  ],
  /** The ten tools of the KSTAR memory's specification. */
  kstar: () => [
    shapeTool('mcp__kstar__store_trace'),
    shapeTool('mcp__kstar__query_memory'),
    shapeTool('mcp__kstar__store_perception'),
    shapeTool('mcp__kstar__store_fact'),
    shapeTool('mcp__kstar__update_skill'),
    // The shape may also grant, which MCP does not offer.
    shapeTool('mcp__kstar__store_control_token', {
      summary: 'Stores a control token that somebody signed. Granting one is left to the owner.',
      without: ['kstar:grant_control_token'],
    }),
    shapeTool('mcp__kstar__verify_control_token'),
    shapeTool('mcp__kstar__revoke_control_token'),
    shapeTool('mcp__kstar__get_token_lineage'),
    shapeTool('mcp__kstar__export_memory'),
  ],
  /** Tools with bare names. A KS2.2 kernel uses the server that has both `store` and `recall` as its memory. */
  ks: () => [
    shapeTool('store'),
    shapeTool('recall'),
    shapeTool('update_profile'),
    shapeTool('archive_episode'),
  ],
  embedding: () => [shapeTool('embed'), shapeTool('embed_batch')],
  katra: () => [
    shapeTool('katra_register'),
    shapeTool('katra_whoami'),
    shapeTool('katra_session_start'),
    shapeTool('katra_session_end'),
    shapeTool('katra_remember'),
    shapeTool('katra_learn'),
    shapeTool('katra_decide'),
    shapeTool('katra_recall'),
    shapeTool('katra_recent'),
    shapeTool('katra_begin_turn'),
    shapeTool('katra_end_turn'),
    shapeTool('katra_review_turn'),
    shapeTool('katra_update_metadata'),
    shapeTool('katra_get_collections'),
    shapeTool('katra_sunrise'),
    shapeTool('katra_sundown'),
    shapeTool('katra_capture_context_snapshot'),
    shapeTool('katra_restore_context'),
    shapeTool('katra_consolidate'),
    shapeTool('katra_say'),
    shapeTool('katra_hear'),
    shapeTool('katra_who_is_here'),
  ],
  pool: () => [
    verbTool('pool_propose', 'pool:propose'),
    verbTool('pool_publish', 'pool:publish'),
    verbTool('pool_vote', 'pool:vote'),
    verbTool('pool_list_proposals', 'pool:list_proposals'),
    verbTool('pool_facts', 'pool:facts'),
    verbTool('pool_announce', 'pool:announce'),
    verbTool('pool_claws', 'pool:claws'),
    verbTool('pool_who_can', 'pool:who_can'),
  ],
  /**
   * With these tools an agent proposes memories, and reads within its rights. It can't store or decide for the user.
   */
  a2p: () => [
    shapeTool('a2p_get_profile'),
    shapeTool('a2p_query_memories'),
    { ...shapeTool('a2p_propose_memory'), question: reviewOf },
    shapeTool('a2p_list_proposals'),
    shapeTool('a2p_withdraw_proposal'),
  ],
  graph: () => graphTools,
  /** For a person who asks why a memory was not recalled: a model needs it too rarely for the usual sets. */
  explain: () => [verbTool('explain_recall', 'recall:explain')],
}

/** Lets the user of the host decide at once about what the agent proposes. */
function reviewOf(input: unknown): ToolQuestion | undefined {
  const { proposal = input } = isJsonObject(input) ? input : {}
  const { memory = proposal, category = '' } = isJsonObject(proposal) ? proposal : {}
  const content = isJsonObject(memory) ? memory['content'] : undefined
  if (typeof content !== 'string') return undefined
  const text = `The agent proposes to remember (${String(category)}): ${content.slice(0, 2000)}`
  return { text: shownText(text), isReview: true }
}

/** Tools are built once for each process, because their JSON Schemas are expensive. */
const cachedTools = new Map<ToolSetName, readonly McpTool[]>()

function toolsOfSet(name: ToolSetName): readonly McpTool[] {
  const cached = cachedTools.get(name)
  if (cached) return cached
  const tools = toolFactories[name]().map((tool) => ({
    ...tool,
    input: withFieldTexts(tool.input, [tool.name, 'input']),
  }))
  cachedTools.set(name, tools)
  return tools
}

/**
 * Parses names of sets, such as `recall,graph`. Undefined or empty: the default sets. Throws `invalid-input` at
 * `tools` for an unknown name.
 */
export function parseSetNames(text: string | undefined): readonly ToolSetName[] {
  const names = (text ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0) return usualSets
  return [...new Set(names)].map((name) => {
    const found = toolSetNames.find((one) => one === name)
    if (found) return found
    throw invalidInput(
      'tools',
      `There is no set \`${name.slice(0, 80)}\`; there are ${toolSetNames.join(', ')}`,
    )
  })
}

/**
 * Returns the tools of these sets that can run at `place`. Throws `invalid-input` at `path` if two sets have a tool
 * of the same name, because the shapes of these tools differ.
 */
export function toolsOf(
  names: readonly ToolSetName[],
  place: 'device' | 'mirror',
  path = 'tools',
): readonly McpTool[] {
  const tools = new Map<string, { readonly tool: McpTool; readonly set: ToolSetName }>()
  for (const set of names) {
    for (const tool of toolsOfSet(set)) {
      const other = tools.get(tool.name)
      if (other)
        throw invalidInput(
          path,
          `\`${other.set}\` and \`${set}\` both have a tool \`${tool.name}\`: serve one of them`,
        )
      if (tool.verbs.every((id) => runsAt(id, place))) tools.set(tool.name, { tool, set })
    }
  }
  return [...tools.values()].map(({ tool }) => tool)
}

function runsAt(id: string, place: 'device' | 'mirror'): boolean {
  const { runs = 'anywhere' } = offeredVerb(id) ?? {}
  return runs === 'anywhere' || runs === place
}

export interface McpResource {
  readonly uri: string
  readonly name: string
  readonly description: string
  /** Kinds of records whose changes may change the resource. Empty: clients get no updates of the resource. */
  readonly kinds: readonly string[]
  read(at: ToolContext): Promise<unknown>
}

/** Returns the answer of a seed shape; for an error, the answer that the shape gives instead. */
async function answerOfShape(name: string, at: ToolContext): Promise<unknown> {
  const { value } = await runSeedShape(name, {}, at)
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
      read: (at) => answerOfShape('katra_get_collections', at),
    },
    {
      uri: 'turn-memories://',
      name: 'turn-memories',
      description: 'Memories stored in the current turn, as JSON.',
      kinds: [],
      read: (at) => answerOfShape('katra_review_turn', at),
    },
  ],
}

export function resourcesOf(sets: readonly ToolSetName[]): readonly McpResource[] {
  return sets.flatMap((set) => resources[set] ?? [])
}
