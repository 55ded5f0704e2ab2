// Tools of the AI SDK over a book: a model looks into the memory, and keeps something in it.
import { jsonSchema, tool } from 'ai'
import { shownValue } from '../../../core/text/shown-text.ts'
import type { Daybook } from '../../../book/daybook.ts'

/** The schema of what a model keeps. */
const noteSchema = 'note'

export interface RecallQuery {
  readonly query: string
  readonly limit?: number | undefined
}

/** What the model is told of a record. */
export interface RecalledNote {
  readonly id: string
  readonly kind: string
  readonly when: string
  readonly content: unknown
}

/**
 * `recall` and `remember`, for `tools` of `generateText`, `streamText` or an agent. What a model keeps is a fact of the schema
 * `note`, made in the name of the handle that is given. A call that is refused rejects with a `DaybookError`, which the SDK
 * tells the model.
 */
export function daybookTools(book: Pick<Daybook, 'recall' | 'facts'>) {
  return {
    recall: tool({
      description: 'Looks into the long-term memory for what is relevant to a question. May find nothing.',
      inputSchema: jsonSchema<RecallQuery>({
        type: 'object',
        properties: {
          query: {
            type: 'string',
            minLength: 1,
            maxLength: 10_000,
            description: 'The question, in plain words.',
          },
          limit: {
            type: 'integer',
            minimum: 1,
            maximum: 50,
            description: 'How many at most; 10 unless said.',
          },
        },
        required: ['query'],
        additionalProperties: false,
      }),
      async execute({ query, limit = 10 }, { abortSignal }): Promise<{ found: RecalledNote[] }> {
        const { hits } = await book.recall({ text: query, limit }, abortSignal ? { signal: abortSignal } : {})
        return { found: hits.map(({ record }) => noted(record)) }
      },
    }),
    remember: tool({
      description:
        'Keeps one thing in the long-term memory, as a sentence that can be understood on its own.',
      inputSchema: jsonSchema<{ readonly text: string }>({
        type: 'object',
        properties: { text: { type: 'string', minLength: 1, maxLength: 10_000 } },
        required: ['text'],
        additionalProperties: false,
      }),
      // The SDK may call a tool again with the same id: it is kept once.
      async execute({ text }, { toolCallId }): Promise<{ kept: string }> {
        const note = { schema: noteSchema, data: { text }, source: 'ai-sdk' }
        const { id } = await book.facts.store(note, { requestId: `ai-sdk ${toolCallId}` })
        return { kept: id }
      },
    }),
  }
}

const head = new Set([
  'id',
  'kind',
  'created_at',
  'updated_at',
  'ver',
  'agent',
  'session',
  'resource',
  'marks',
])

function noted(record: Readonly<Record<string, unknown>>): RecalledNote {
  const { id, kind, timestamp, created_at } = record
  const content = Object.fromEntries(Object.entries(record).filter(([name]) => !head.has(name)))
  const note = { id: String(id), kind: String(kind), when: String(timestamp ?? created_at), content }
  return shownValue(note)
}
