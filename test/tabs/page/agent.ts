// Agents of four frameworks in a page, each by its own package over the book of this tab, with models that say what they
// are told to. A run stops in its middle where it is told to, and is never heard of again: the tab is ended there.
import { Anthropic } from '@anthropic-ai/sdk'
import { betaMemoryTool } from '@anthropic-ai/sdk/helpers/beta/memory'
import { Annotation, StateGraph } from '@langchain/langgraph/web'
import { Agent, run, setTracingDisabled, tool, Usage } from '@openai/agents-core'
import { assistantMessage, functionCall, modelResponse, ScriptedModel } from '@openai/agents-core/testing'
import { createCollection } from '@tanstack/db'
import { generateText, stepCountIs, tool as aiTool, jsonSchema } from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { withDaybook } from '../../../src/doors/adapter/ai-sdk.ts'
import { daybookMemory } from '../../../src/doors/adapter/anthropic/memory.ts'
import { DaybookSaver, DaybookStore } from '../../../src/doors/adapter/langgraph/langgraph.ts'
import { DaybookSession } from '../../../src/doors/adapter/openai-agents.ts'
import { daybookCollectionOptions } from '../../../src/doors/adapter/tanstack-db/collection.ts'
import type { Daybook } from '../../../src/index.ts'

/** A run; with `stop` it calls that in its middle, and waits for what that gives before it goes on. */
type Run = (book: Daybook, stop?: () => Promise<void>) => Promise<unknown>

export interface AgentPage {
  readonly runs: Readonly<Record<'aiSdk' | 'anthropic' | 'langgraph' | 'openai', Run>>
  /** Begins all of them; resolves when each stands in its middle. */
  begin(): Promise<void>
  /** Goes on with all of them to their end. */
  resume(): Promise<Readonly<Record<string, unknown>>>
  /** Adds lines to one file of the memory, and items to one session, while another tab does the same. */
  add(name: string, count: number): Promise<void>
  /** What stands in that file and in that session. */
  added(): Promise<{ readonly file: string; readonly items: number }>
}

interface Row {
  readonly id: string
  readonly at: Date
}
/** Rows that a page shows, live. */
export interface RowsPage {
  insert(id: string): Promise<unknown>
  /** Resolves when these rows are shown, and no other. */
  shows(ids: readonly string[]): Promise<void>
}

declare global {
  var rows: () => RowsPage
  var agents: AgentPage
}

setTracingDisabled(true)

/** Three nodes, of which the second stops; a thread goes on from the last checkpoint. */
const langgraph: Run = async (book, stop) => {
  const ran: string[] = []
  const store = new DaybookStore(book)
  const node = (name: string) => async () => {
    ran.push(name)
    if (name === 'first') await store.put(['users', 'ann'], 'home', { city: 'Lisbon' })
    if (name === 'second') await stop?.()
    return { steps: [name] }
  }
  const State = Annotation.Root({
    steps: Annotation<string[]>({ reducer: (before, more) => [...before, ...more], default: () => [] }),
  })
  const graph = new StateGraph(State)
    .addNode('first', node('first'))
    .addNode('second', node('second'))
    .addNode('third', node('third'))
    .addEdge('__start__', 'first')
    .addEdge('first', 'second')
    .addEdge('second', 'third')
    .compile({ checkpointer: new DaybookSaver(book), store })
  const thread = { configurable: { thread_id: 'trip' } }
  const { steps } = await graph.invoke(stop ? {} : null, { ...thread, durability: 'sync' })
  return { steps, ran, city: (await store.get(['users', 'ann'], 'home'))?.value['city'] }
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
const says = (text: string) => ({
  content: [{ type: 'text' as const, text }],
  finishReason: { unified: 'stop' as const, raw: undefined },
  usage,
  warnings: [],
})
const looks = {
  content: [{ type: 'tool-call' as const, toolCallId: 'call-1', toolName: 'look', input: '{}' }],
  finishReason: { unified: 'tool-calls' as const, raw: undefined },
  usage,
  warnings: [],
}

/** A turn that is done, and one whose tool stops: only what is done is kept, and is recalled for what comes after. */
const aiSdk: Run = async (book, stop) => {
  const ask = async (prompt: string, steps: readonly (ReturnType<typeof says> | typeof looks)[]) => {
    const model = new MockLanguageModelV4({ doGenerate: [...steps] as never })
    const look = aiTool({
      inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
      execute: async () => {
        await stop?.()
        return 'fog'
      },
    })
    const session = book.with({ session: 'ai' })
    await generateText({
      model: withDaybook(model, session),
      tools: { look },
      stopWhen: stepCountIs(3),
      prompt,
    })
    return JSON.stringify(model.doGenerateCalls[0]?.prompt)
  }
  if (stop) await ask('I moved to Lisbon.', [says('Noted.')])
  const told = await ask('What is the weather in Lisbon, where I moved?', [looks, says('Fog.')])
  const { records } = await book.conversation.list({ session: 'ai', orderBy: 'timestamp' })
  return { isRecalled: told.includes('I moved to Lisbon.'), kept: records.map(({ content }) => content) }
}

/** A turn that is done, and one whose tool stops. */
const openai: Run = async (book, stop) => {
  const session = new DaybookSession(book, { sessionId: 'openai' })
  const answer = (output: ReturnType<typeof assistantMessage> | ReturnType<typeof functionCall>) =>
    modelResponse({ usage: new Usage(), output: [output] })
  const look = tool({
    name: 'look',
    description: 'Looks out of the window.',
    parameters: { type: 'object', properties: {}, required: [], additionalProperties: false } as never,
    strict: true,
    execute: async () => {
      await stop?.()
      return 'fog'
    },
  })
  const ask = (question: string, ...steps: ReturnType<typeof answer>[]) =>
    run(new Agent({ name: 'Guide', model: new ScriptedModel(steps), tools: [look] }), question, { session })
  if (stop) await ask('I moved to Lisbon.', answer(assistantMessage('Noted.')))
  const { finalOutput } = await ask(
    'And the weather?',
    answer(functionCall('look', {}, { callId: 'call-1' })),
    answer(assistantMessage('Fog.')),
  )
  const items = (await session.getItems()) as { role?: string; type?: string }[]
  return { finalOutput, said: items.map(({ role, type }) => role ?? type) }
}

/** Keeps a file, and stops before the model hears of it; the file is there, and the next run reads it. */
const anthropic: Run = async (book, stop) => {
  const file = { path: '/memories/user.md', file_text: 'Lives in Lisbon.' }
  const use = (input: object) => ({ type: 'tool_use', id: 'toolu_1', name: 'memory', input })
  const turns: object[] = [
    use(stop ? { command: 'create', ...file } : { command: 'view', path: file.path }),
    { type: 'text', text: 'Done.' },
  ]
  const heard: string[] = []
  const fetch = async (_url: unknown, init?: { readonly body?: unknown }) => {
    heard.push(String(init?.body))
    if (heard.length === 2) await stop?.()
    const said = turns.shift() ?? { type: 'text', text: 'Nothing more.' }
    const usage = { input_tokens: 1, output_tokens: 1 }
    const stop_reason = 'input' in said ? 'tool_use' : 'end_turn'
    return Response.json({
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'scripted',
      usage,
      content: [said],
      stop_reason,
    })
  }
  const client = new Anthropic({ apiKey: 'none', fetch: fetch as never, dangerouslyAllowBrowser: true })
  await client.beta.messages.toolRunner({
    model: 'scripted',
    max_tokens: 100,
    tools: [betaMemoryTool(daybookMemory(book))],
    messages: [{ role: 'user', content: 'I moved to Lisbon.' }],
  })
  return { isRead: heard[1]?.includes('Lives in Lisbon.') }
}

const runs = { aiSdk, anthropic, langgraph, openai }
const booked = () => {
  if (!tab.book) throw new Error('No book is open.')
  return tab.book
}
const forEver = new Promise<never>(() => undefined)
const sharedFile = '/memories/shared.md'

globalThis.agents = {
  runs,
  async begin() {
    const middles = Object.values(runs).map((one) => {
      return new Promise<void>((resolve, reject) => {
        const stop = () => {
          resolve()
          return forEver
        }
        one(booked(), stop).then(() => reject(new Error('It did not stop.')), reject)
      })
    })
    await Promise.all(middles)
  },
  async resume() {
    const ends = Object.entries(runs).map(async ([name, one]) => [name, await one(booked())] as const)
    return Object.fromEntries(await Promise.all(ends))
  },
  async add(name, count) {
    const memory = daybookMemory(booked())
    const session = new DaybookSession(booked(), { sessionId: 'shared' })
    // Whoever comes second finds the file, and says so.
    await memory.create({ command: 'create', path: sharedFile, file_text: 'begin' }).catch(() => undefined)
    for (let i = 0; i < count; i++) {
      const insert_text = `${name} ${i}\n`
      await Promise.all([
        memory.insert({ command: 'insert', path: sharedFile, insert_line: 0, insert_text }),
        session.addItems([{ role: 'user', content: `${name} ${i}` }]),
      ])
    }
  },
  async added() {
    const file = await daybookMemory(booked()).view({ command: 'view', path: sharedFile })
    const items = await new DaybookSession(booked(), { sessionId: 'shared' }).getItems()
    return { file, items: items.length }
  },
}

globalThis.rows = () => {
  const rows = createCollection(
    daybookCollectionOptions<Row, string>({ book: booked(), folder: 'rows/', getKey: ({ id }) => id }),
  )
  return {
    insert: (id) => rows.insert({ id, at: new Date(0) }).isPersisted.promise,
    shows: (ids) =>
      new Promise((resolve) => {
        const look = () => {
          const shown = rows.toArray.filter(({ at }) => at instanceof Date).map(({ id }) => id)
          if (shown.join() === ids.join()) resolve()
        }
        rows.subscribeChanges(look, { includeInitialState: true })
        look()
      }),
  }
}
