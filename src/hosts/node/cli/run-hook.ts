// `daybook hook`: the commands that a coding agent runs when its session starts and ends, as the plugin in
// `plugins/daybook` sets them up. The agent passes its event as JSON on stdin.
// Invariant: a session starts without a memory too, and only the user's rules are printed as instructions.
import { z } from 'zod'
import type { Daybook } from '../../../book/daybook.ts'
import { parseWith } from '../../../core/schema.ts'
import { packRules } from '../../../core/text/pack-rules.ts'
import { shownText } from '../../../core/text/shown-text.ts'
import { hostAgentName } from '../../../doors/mcp/agent-name.ts'
import { quotedNote } from '../../../doors/mcp/verb-tool.ts'
import { type Command, type CommandContext, textOf, UsageError } from './command.ts'
import { openSource } from './import-memory.ts'
import { isFileThere, readJsonSource } from './input-file.ts'

/** The used fields of an event of the coding agent. */
const hookEvent = z.looseObject({
  session_id: z.string().min(1).max(200),
  transcript_path: z.string().min(1).optional(),
})

/** Name of the agent whose sessions the transcripts are. */
const codingAgent = 'claude-code'
const dayMs = 86_400_000

export const runHook: Command = {
  name: 'hook',
  summary: 'Runs at the start or the end of a session of a coding agent, with its event as JSON on stdin.',
  operands: '<session-start | session-end>',
  options: {},
  help: {},
  async run(context) {
    const [event = '', ...more] = context.positionals
    const run = hooks[event]
    if (!run || more.length > 0) throw new UsageError(`hook takes one of ${Object.keys(hooks).join(', ')}`)
    const input = parseWith(hookEvent, await readJsonSource('-', 'stdin', context.signal))
    await run(context, input)
  },
}

type HookEvent = z.output<typeof hookEvent>

const hooks: Readonly<Record<string, (context: CommandContext, event: HookEvent) => Promise<void>>> = {
  'session-start': printStart,
  'session-end': archiveSession,
}

const openAs = ({ values, open }: CommandContext, create: boolean) =>
  open({ create, as: hostAgentName(textOf(values, 'agent'), codingAgent) })

/** Prints the standing rules, and the last days of personas and coding sessions. */
async function printStart(context: CommandContext): Promise<void> {
  const { terminal, bookFile } = context
  if (!isFileThere(bookFile)) return
  const book = await openAs(context, false)
  const { rules } = await book.rules.list({ inForce: true })
  const days = [...(await personaDays(book)), ...(await sessionDays(book))]
  const quoted = days.length === 0 ? [] : [quotedNote, ...days.map((day) => shownText(day))]
  const text = [packRules(rules)?.text, ...quoted].filter((part) => part).join('\n\n')
  terminal.answer({ text }, text)
}

/** The last digest of each persona. */
async function personaDays(book: Daybook): Promise<string[]> {
  const { personas } = await book.personas.list()
  const days = await Promise.all(personas.map(({ ci_id: persona }) => book.days.sunrise({ persona })))
  return days.flatMap(({ name, day, digest }) => (digest ? [`# ${name}, ${day}\n\n${digest.text}`] : []))
}

/** The episodes since yesterday, newest first. */
async function sessionDays(book: Daybook): Promise<string[]> {
  const { records } = await book.conversation.episodes({ limit: 5 })
  const since = new Date(Date.now() - 2 * dayMs).toISOString()
  return records
    .filter(({ end_time: end, created_at: at }) => (end ?? at) > since)
    .map(
      ({ summary, end_time: end, created_at: at }) =>
        `# Session of ${(end ?? at).slice(0, 10)}\n\n${summary}`,
    )
}

/** Stores the transcript of the session, each line once, and makes an episode of what is new. */
async function archiveSession(
  context: CommandContext,
  { session_id: id, transcript_path: path }: HookEvent,
): Promise<void> {
  const { terminal, signal } = context
  // A session that ended before its first line has no file.
  if (path === undefined || !isFileThere(path)) return terminal.note('The session has no transcript.')
  const book = await openAs(context, true)
  const source = await openSource(path, signal)
  const { imported } = await book.import(source, { format: 'claude-code', allowIncomplete: true, signal })
  const session = `${codingAgent}:${id}`
  // Imported messages have the agent that the importer gave them.
  const [message] = (await book.conversation.list({ session, limit: 1 })).records
  const archived = message && (await book.conversation.archive({ session, agent: message.agent }, { signal }))
  terminal.answer({ imported, episode: archived?.episodeId ?? null }, '')
  terminal.note(`${imported} records of the session stored.`)
}
