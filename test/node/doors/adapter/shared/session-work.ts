// What two processes do at once to one session, thread, file or collection of each framework: write a label, and read all that
// there are. Imported by the test and by the process beside it.
import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint'
import type { AgentInputItem } from '@openai/agents-core'
import { createCollection } from '@tanstack/db'
import { generateText } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { Daybook } from '../../../../../src/book/daybook.ts'
import { withDaybook } from '../../../../../src/doors/adapter/ai-sdk.ts'
import { daybookMemory } from '../../../../../src/doors/adapter/anthropic/memory.ts'
import { daybookSessions } from '../../../../../src/doors/adapter/claude-agent.ts'
import { DaybookSaver, DaybookStore } from '../../../../../src/doors/adapter/langgraph/langgraph.ts'
import { DaybookSession } from '../../../../../src/doors/adapter/openai-agents.ts'
import { daybookCollectionOptions } from '../../../../../src/doors/adapter/tanstack-db/collection.ts'

export interface SessionWork {
  write(label: string): Promise<unknown>
  /** Every label that was written, in no order. */
  read(): Promise<readonly unknown[]>
}

const answer = {
  content: [{ type: 'text' as const, text: 'Noted.' }],
  finishReason: { unified: 'stop' as const, raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
  warnings: [],
}

function checkpoints(book: Daybook): SessionWork {
  const saver = new DaybookSaver(book)
  const config = { configurable: { thread_id: 'trip', checkpoint_ns: '' } }
  return {
    write: (label) =>
      saver.put(
        config,
        { ...emptyCheckpoint(), id: uuid6(0), channel_values: { label } },
        { source: 'loop', step: 0, parents: {} },
      ),
    async read() {
      const labels: unknown[] = []
      for await (const { checkpoint } of saver.list(config)) labels.push(checkpoint.channel_values['label'])
      return labels
    },
  }
}

function storeOfGraph(book: Daybook): SessionWork {
  const store = new DaybookStore(book)
  return {
    write: (label) => store.put(['users', 'alice'], label, { label }),
    read: async () => (await store.search(['users'], { limit: 1000 })).map(({ value }) => value['label']),
  }
}

/** Every write is an edit of one file. */
function memoryFile(book: Daybook): SessionWork {
  const memory = daybookMemory(book)
  const path = '/memories/notes.md'
  return {
    write: (label) => memory.insert({ command: 'insert', path, insert_line: 0, insert_text: `${label}\n` }),
    async read() {
      const text = await memory.view({ command: 'view', path })
      return [...text.matchAll(/^ +\d+\t(\w+-\d+)$/gm)].map(([, label]) => label)
    },
  }
}

function openAiSession(book: Daybook): SessionWork {
  const session = new DaybookSession(book, { sessionId: 'chat' })
  return {
    write: (label) => session.addItems([{ role: 'user', content: label } satisfies AgentInputItem]),
    read: async () => (await session.getItems()).map((item) => 'content' in item && item.content),
  }
}

function claudeSession(book: Daybook): SessionWork {
  const store = daybookSessions(book)
  const key = { projectKey: 'home', sessionId: 'chat' }
  return {
    write: (label) => store.append(key, [{ type: 'user', uuid: label }]),
    read: async () => ((await store.load(key)) ?? []).map(({ uuid }) => uuid),
  }
}

function aiTurns(book: Daybook): SessionWork {
  const session = book.with({ session: 'chat' })
  const model = withDaybook(new MockLanguageModelV4({ doGenerate: answer }), session)
  return {
    write: (label) => generateText({ model, prompt: label }),
    async read() {
      const { records } = await book.conversation.list({ limit: 1000 })
      return records.map(({ content }) => content).filter((content) => content !== 'Noted.')
    },
  }
}

function rows(book: Daybook): SessionWork {
  const open = () =>
    createCollection(
      daybookCollectionOptions<{ id: string }>({ book, folder: 'rows/', getKey: ({ id }) => id }),
    )
  const collection = open()
  return {
    write: (id) => collection.insert({ id }).isPersisted.promise,
    async read() {
      const anew = open()
      await anew.preload()
      return anew.toArray.map(({ id }) => id)
    },
  }
}

export const works: Readonly<Record<string, (book: Daybook) => SessionWork>> = {
  'checkpoints of one thread (LangGraph)': checkpoints,
  'one namespace (LangGraph)': storeOfGraph,
  'one file (Anthropic)': memoryFile,
  'one session (OpenAI Agents)': openAiSession,
  'one transcript (Claude Agent SDK)': claudeSession,
  'one conversation (AI SDK)': aiTurns,
  'one collection (TanStack DB)': rows,
}

/** Before anybody writes: a file to edit. */
export async function prepare(book: Daybook): Promise<void> {
  await daybookMemory(book).create({ command: 'create', path: '/memories/notes.md', file_text: 'Notes\n' })
}
