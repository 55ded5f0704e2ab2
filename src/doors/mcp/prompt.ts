// The prompts and the records of the default set, for a person who picks them in a host: beside tools, which a model picks.
// Invariant: they call only verbs that a tool of the set may call, as the caller.
import type { McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { shownJson } from '../../core/text/shown-text.ts'
import type { Mcp, McpBook } from './mcp-book.ts'
import { cutTexts } from './long-answer.ts'
import { quotedNote } from './verb-tool.ts'

interface PromptParts {
  readonly mcp: Mcp
  readonly server: McpServer
  readonly book: McpBook
}

/** Entries that a completion searches: the newest. */
const searched = 200
/** Most values of one completion, by the protocol. */
const maxCompletions = 100

interface Page {
  readonly records: readonly { readonly id: string; readonly subject?: unknown }[]
}

async function newest(book: McpBook, query: object): Promise<Page['records']> {
  const page = (await book.call('kstar:query_memory', { ...query, limit: searched })) as Page
  return page.records
}

/** The different values that begin with `start`, ignoring case. */
function beginningWith(values: readonly unknown[], start = ''): string[] {
  const texts = values.filter((value) => typeof value === 'string')
  const found = texts.filter((text) => text.toLowerCase().startsWith(start.toLowerCase()))
  return [...new Set(found)].slice(0, maxCompletions)
}

const userMessage = (text: string) => ({
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }],
})

export function registerPrompts({ mcp, server, book }: PromptParts): void {
  server.registerPrompt(
    'remember',
    {
      title: 'Remember',
      description: 'Stores a text in the memory.',
      argsSchema: z.object({ text: z.string().min(1).describe('The text to remember') }),
    },
    ({ text }) => userMessage(`Store this in your memory with the tool \`remember\`:\n\n${text}`),
  )
  const subjects = async (start: string | undefined) =>
    beginningWith(
      (await newest(book, { kind: 'perception' })).map(({ subject }) => subject),
      start,
    )
  server.registerPrompt(
    'what_do_you_know_about',
    {
      title: 'What do you know about …',
      description: 'Answers from the memory, with its records quoted.',
      argsSchema: z.object({
        subject: mcp.completable(z.string().min(1).describe('A person, project or topic'), subjects),
      }),
    },
    async ({ subject }) => {
      const { text } = (await book.call('recall:context', { text: subject })) as { readonly text: string }
      const quoted = text === '' ? 'The memory has nothing about it.' : `${quotedNote}\n\n${text}`
      return userMessage(`What do you know about ${subject}?\n\n${quoted}`)
    },
  )
}

/** Offers each record under `daybook://records/{ref}`. */
export function registerRecords({ mcp, server, book }: PromptParts): void {
  const template = new mcp.ResourceTemplate('daybook://records/{ref}', {
    list: undefined,
    complete: {
      ref: async (start) =>
        beginningWith(
          (await newest(book, {})).map(({ id }) => id),
          start,
        ),
    },
  })
  const mimeType = 'application/json'
  const description = 'A record of the memory, by its `ref`, as JSON.'
  server.registerResource(
    'record',
    template,
    { title: 'Record', description, mimeType },
    async (uri, { ref }) => {
      const id = decodeURIComponent(String(ref))
      const record = await book.call('kstar:get_record', { id })
      if (record === null) throw new mcp.ResourceNotFoundError(uri.href)
      const text = shownJson(cutTexts(record).value, 2)
      return { contents: [{ uri: uri.href, mimeType, text, _meta: { 'daybook/untrusted': true } }] }
    },
  )
}
