// Imports SWE-agent trajectories (`.traj`): one trace for each action of the agent, in order, in one session. A
// file with only the chat `history` works too: each answer of the agent becomes a trace, with the observation after
// it.
import { idPrefixes } from '../../core/text/name-id.ts'
import { z } from 'zod'
import { beginningOf } from '../../core/zone.ts'
import type { TaskContext } from '../../core/capability/context.ts'
import { defined } from '../../core/defined.ts'
import type { JsonObject } from '../../core/json/path.ts'
import { formatTime, parseTime } from '../../core/time.ts'
import type { Draft } from './draft.ts'
import { invalidFile, parseFileJson, parseShape, withoutByteOrderMark } from './parse-file.ts'
import { parseStorable } from './storable.ts'
import { storeDrafts } from './store-drafts.ts'

interface SweStep {
  readonly thought: string
  /** The agent's command; empty if the step has none. */
  readonly command: string
  /** The output of the command. */
  readonly observation: string
  /** The state of the environment after the step, as the file has it. */
  readonly state?: unknown
  /** The duration of the step. */
  readonly seconds?: number
}

interface SweRun {
  readonly environment?: string
  readonly steps: readonly SweStep[]
  readonly exitStatus?: string
  readonly submission?: string
}

const optionalText = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const step = z.looseObject({
  action: optionalText,
  observation: optionalText,
  response: optionalText,
  thought: optionalText,
  state: z.unknown().optional(),
  execution_time: z.number().nonnegative().nullish().catch(undefined),
})
const contentPart = z.looseObject({ text: z.string().optional() })
const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(contentPart)]).nullish(),
  thought: z.string().nullish(),
  action: z.string().nullish(),
  is_demo: z.boolean().nullish(),
})
const trajectory = z.looseObject({
  environment: z.string().nullish(),
  trajectory: z.array(step).max(10_000).nullish(),
  history: z.array(message).max(50_000).nullish(),
  info: z.looseObject({ exit_status: z.string().nullish(), submission: z.string().nullish() }).nullish(),
})

/** Parses the text of file `name`. Throws `invalid-file` for a file without a step. */
function parseSweAgent(fileText: string, name: string): SweRun {
  const file = parseShape(name, '', trajectory, parseFileJson(name, fileText))
  const { environment, info } = file
  const steps = file.trajectory?.length ? file.trajectory.map(toStep) : stepsOfHistory(file.history ?? [])
  if (steps.length === 0)
    throw invalidFile(name, '', 'It has neither a trajectory nor a history with a step of an agent')
  return {
    steps,
    ...(environment ? { environment } : {}),
    ...(info?.exit_status ? { exitStatus: info.exit_status } : {}),
    ...(info?.submission ? { submission: info.submission } : {}),
  }
}

function toStep({
  thought,
  response,
  action,
  observation,
  state,
  execution_time: seconds,
}: z.output<typeof step>): SweStep {
  return {
    thought: (thought || response).trim(),
    command: action.trim(),
    observation,
    ...(state === undefined || state === null || state === '' ? {} : { state: parseState(state) }),
    ...(typeof seconds === 'number' ? { seconds } : {}),
  }
}

/** Parses a state. Older files have it as JSON text. */
function parseState(state: unknown): unknown {
  if (typeof state !== 'string') return state
  try {
    return parseStorable(state)
  } catch {
    return state
  }
}

function stepsOfHistory(history: readonly z.output<typeof message>[]): SweStep[] {
  // Skip demonstrations and system messages, also between an answer and its observation.
  const dialogue = history.filter((entry) => entry.is_demo !== true && entry.role !== 'system')
  return dialogue.flatMap((entry, i) => {
    if (entry.role !== 'assistant') return []
    const next = dialogue[i + 1]
    const answer = contentText(entry)
    return [
      {
        thought: (entry.thought ?? answer).trim(),
        command: (entry.action ?? '').trim(),
        observation: next && next.role !== 'assistant' ? contentText(next) : '',
      },
    ]
  })
}

function contentText({ content }: z.output<typeof message>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((contentPart) => contentPart.text ?? '').join('\n')
}

interface TrajectoryFile {
  readonly name: string
  readonly text: string
  /** When the run ended: ISO 8601. Default: now. */
  readonly recordedAt?: string | undefined
  /** Counts new records, and stores nothing. Default false. */
  readonly dryRun?: boolean | undefined
}

/** Imports a trajectory: see the capability `import:swe_agent`. */
export async function importTrajectory(file: TrajectoryFile, at: TaskContext<'records' | 'transfer'>) {
  const { name, recordedAt, dryRun } = file
  // A file that was read as text may begin with a byte order mark.
  const text = withoutByteOrderMark(file.text)
  const hash = (await at.transfer.digest.sha256(text)).slice(0, 16)
  const endMs = parseTime(beginningOf(recordedAt ?? at.call.now, at.call.zone)) ?? 0
  const { session, ...drafts } = runDrafts(parseSweAgent(text, name), { name, hash, endMs })
  const { omitted: _omitted, ...stored } = await storeDrafts(drafts, { name, dryRun }, at)
  return { ...stored, session }
}

/** One draft for each step. `endMs`: when the run ended. */
function runDrafts(
  run: SweRun,
  file: { readonly name: string; readonly hash: string; readonly endMs: number },
) {
  const { name, hash, endMs } = file
  const session = `swe-agent:${name
    .replace(/\.traj$/i, '')
    .slice(0, 200)
    .toWellFormed()}:${hash.slice(0, 8)}`
  const times = stepTimes(run.steps, endMs)
  const idAt = (i: number) => `${idPrefixes['swe-agent']}${hash}-${i + 1}`
  const records = run.steps.map((step, i): Draft => {
    const isLast = i === run.steps.length - 1
    const body = {
      timestamp: times[i],
      situation: {
        domain: 'software.engineering',
        actor: run.environment ?? 'agent',
        channel: 'swe-agent',
        context: { file: name, step: i + 1, ...defined({ state: step.state }) },
      },
      task: { goal: step.thought || '(no thought given)', constraints: [] },
      action: {
        type: commandName(step.command),
        parameters: { command: step.command },
        tools_used: toolsOf(step.command),
      },
      result: {
        success: !looksFailed(step.observation),
        outcome: {
          observation: step.observation,
          ...defined({ execution_time: step.seconds }),
          ...(isLast && run.exitStatus ? { exit_status: run.exitStatus } : {}),
          ...(isLast && run.submission ? { submission: run.submission } : {}),
        },
        side_effects: [],
      },
      metadata: {
        mode: 'autonomous',
        tags: ['swe-agent'],
        linked_traces: i === 0 ? [] : [idAt(i - 1)],
      },
    } as unknown as JsonObject
    return { kind: 'trace', id: idAt(i), body, scope: { session }, place: `step ${i + 1}` }
  })
  return { session, records }
}

/**
 * The times of the steps: the last one at `endMs`, each earlier one before it by the duration of the step, or by a
 * second.
 */
function stepTimes(steps: readonly SweStep[], endMs: number): string[] {
  let timeMs = endMs
  const times = steps.map(() => '')
  for (let i = steps.length - 1; i >= 0; i--) {
    times[i] = formatTime(timeMs)
    timeMs -= Math.max(1, Math.round((steps[i]?.seconds ?? 1) * 1000))
  }
  return times
}

const commandPattern = /^[A-Za-z_][\w.-]{0,60}/

/** The first word of the command, as the type of the action; `say` for a step without a command. */
function commandName(command: string): string {
  if (command === '') return 'say'
  return commandPattern.exec(command)?.[0] ?? 'command'
}

function toolsOf(command: string): string[] {
  return command === '' ? [] : [commandName(command)]
}

/**
 * Texts of shells, Python and SWE-agent that show a failure, because trajectories do not state the result of a
 * command.
 */
const failureMarks = [
  'Traceback (most recent call last)',
  'command not found',
  'No such file or directory',
  'Your proposed edit has introduced new syntax error(s)',
  'EXECUTION TIMED OUT',
  'SyntaxError:',
]

function looksFailed(observation: string): boolean {
  return failureMarks.some((mark) => observation.includes(mark))
}
