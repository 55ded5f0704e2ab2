// Uses every adapter with its framework: prints one line of JSON with what each stored.
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint'
import { isSessionHistoryTransactionAwareSession } from '@openai/agents-core'
import { trace } from '@opentelemetry/api'
import { createCollection } from '@tanstack/db'
import { generateText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { withDaybook } from 'daybook/ai-sdk'
import { daybookMemory } from 'daybook/anthropic'
import { DaybookSaver, DaybookStore } from 'daybook/langgraph'
import { openDaybook } from 'daybook/node'
import { DaybookSession } from 'daybook/openai-agents'
import { withTracing } from 'daybook/otel'
import { daybookCollectionOptions } from 'daybook/tanstack-db'

const opened = await openDaybook({ name: 'adapters', path: 'adapters.daybook' })
const book = withTracing(opened, { tracer: trace.getTracer('adapters') })

const memory = betaMemoryTool(daybookMemory(book))
await memory.run({ command: 'create', path: '/memories/a.md', file_text: 'Lives in Lisbon.' })

const saver = new DaybookSaver(book)
const thread = { configurable: { thread_id: 'trip', checkpoint_ns: '' } }
const checkpoint = {
  ...emptyCheckpoint(),
  channel_values: { answer: 'yes' },
  channel_versions: { answer: 1 },
}
const place = await saver.put(thread, checkpoint, { source: 'loop', step: 0, parents: {} }, { answer: 1 })
await saver.putWrites(place, [['answer', 'no']], 'task')
const tuple = await saver.getTuple(thread)
const store = new DaybookStore(book)
await store.put(['users'], 'seat', { text: 'window' })

const session = new DaybookSession(book, { sessionId: 'alice' })
await session.addItems([{ role: 'user', content: 'Hello' }])

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const answer = {
  content: [{ type: 'text', text: 'Noted.' }],
  finishReason: { unified: 'stop', raw: undefined },
  usage,
  warnings: [],
}
const model = withDaybook(new MockLanguageModelV4({ doGenerate: answer }), book)
await generateText({ model, prompt: 'I moved to Lisbon.' })

const rows = createCollection(
  daybookCollectionOptions({ book: opened, folder: 'rows/', getKey: ({ id }) => id }),
)
await rows.preload()
await rows.insert({ id: 'tea' }).isPersisted.promise

const { documents } = await opened.documents.list({ folder: 'memories/' })
const { records } = await opened.conversation.list({ orderBy: 'timestamp' })
console.log(
  JSON.stringify({
    anthropic: documents[0].value.text,
    saver: [tuple.checkpoint.channel_values.answer, tuple.pendingWrites[0][2]],
    store: (await store.search(['users']))[0].value.text,
    session: [(await session.getItems()).length, isSessionHistoryTransactionAwareSession(session)],
    'ai-sdk': records.map(({ content }) => content),
    'tanstack-db': rows.toArray.length,
  }),
)
await opened.close()
