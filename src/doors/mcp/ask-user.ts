// Questions that a server asks the user of its host (elicitation), if the client declared that it shows forms.
// Invariant: only the answer of the host to such a question counts; no argument of a tool, which a model writes, stands
// for it. Without that capability a tool runs as if it had no question.
import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import { DaybookError } from '../../core/errors.ts'
import { isJsonObject } from '../../core/json/path.ts'
import type { Mcp, McpBook } from './mcp-book.ts'
import type { McpTool, ToolAnswer, ToolContext } from './tool.ts'

interface Asking {
  readonly mcp: Mcp
  readonly server: McpServer
  readonly book: McpBook
}

/** False for a request for the user's answer. */
export const isToolAnswer = (answer: object): answer is ToolAnswer => 'value' in answer

/** Name of the question in the requests and answers of the protocol. */
const questionKey = 'question'
const decisions = ['approve', 'reject', 'later'] as const

/** Runs a tool, after or with the answer to its question. Returns the request for the answer if it is missing. */
export async function runAsking(
  { mcp, server, book }: Asking,
  tool: McpTool,
  input: unknown,
  at: { readonly context: ServerContext; readonly tools: ToolContext },
) {
  const question = showsForms(mcp, server, at.context) ? await tool.question?.(input, at.tools) : undefined
  const isReview = question?.isReview === true
  if (!question || (isReview && !book.decide)) return tool.run(input, at.tools)
  const { inputResponses } = at.context.mcpReq
  const answer = mcp.inputResponse(inputResponses, questionKey)
  if (answer.kind !== 'elicit') {
    const properties = isReview ? decisionField : {}
    const requestedSchema = { type: 'object' as const, properties }
    const elicited = mcp.inputRequired.elicit({ message: question.text, requestedSchema })
    return mcp.inputRequired({ inputRequests: { [questionKey]: elicited } })
  }
  if (isReview) return withDecision(book, await tool.run(input, at.tools), answer)
  if (answer.action === 'accept') return tool.run(input, at.tools)
  if (answer.action === 'cancel')
    throw new DaybookError('aborted', 'The user closed the question, so nothing was changed.')
  throw new DaybookError('forbidden', 'The user said no, so nothing was changed. Do not ask again.', {
    details: { reason: 'declined' },
  })
}

const decisionField = {
  decision: {
    type: 'string' as const,
    title: 'Decision',
    description: 'approve: remember it. reject: do not. later: decide with `daybook proposals`.',
    enum: [...decisions],
    default: 'later',
  },
}

interface Reply {
  readonly action: 'accept' | 'decline' | 'cancel'
  readonly content?: unknown
}

/** Carries out the user's decision about the proposal that the tool made. */
async function withDecision(
  book: McpBook,
  answer: ToolAnswer,
  { action: reply, content }: Reply,
): Promise<ToolAnswer> {
  const { proposal_id: id, status } = isJsonObject(answer.value) ? answer.value : {}
  const chosen = isJsonObject(content) ? content['decision'] : undefined
  const action = decisions.find((one) => reply === 'accept' && one === chosen) ?? 'later'
  if (action === 'later' || status !== 'pending' || typeof id !== 'string') return answer
  const decided = await book.decide?.({ id, action })
  return { ...answer, value: { ...(answer.value as object), status: decided?.status ?? status } }
}

/** True if the client of this request shows forms to its user. */
function showsForms(mcp: Mcp, server: McpServer, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined
  const capabilities = envelope?.[mcp.CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities()
  const { elicitation } = (capabilities ?? {}) as { readonly elicitation?: unknown }
  if (!isJsonObject(elicitation)) return false
  // Without any mode, it is the form: so did the first revision with elicitation.
  return 'form' in elicitation || Object.keys(elicitation).length === 0
}
