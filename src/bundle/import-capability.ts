// The importers: what other programs saved becomes records here. A file is imported whole or not at all, and only once.
import { z } from 'zod'
import { beginningOf } from '../core/calendar/day.ts'
import { checkAborted } from '../core/abort.ts'
import { defineCapability } from '../core/capability/capability.ts'
import type { TaskContext, WriteContext } from '../core/capability/context.ts'
import type { JsonObject } from '../core/json/path.ts'
import { formatTime, parseTime } from '../core/time.ts'
import { secretCount } from '../shape/secret-count.ts'
import { fileLimit } from './format/bundle-beginning.ts'
import { parseSweAgent, type SweRun, type SweStep } from './importer/swe-agent.ts'

const output = z.object({
  /** How many records are new. */
  imported: z.number(),
  /** How many were here already, from an earlier import of the same file. */
  skipped: z.number(),
  session: z.string(),
  ids: z.array(z.string()),
  /** Secrets of known form in what is new, and what the book did with them. */
  secrets: z.array(secretCount),
})

export const importCapabilities = [
  defineCapability({
    id: 'import:swe_agent',
    forAgents: true,
    methods: ['imports.sweAgent'],
    summary:
      'Imports a SWE-agent trajectory: a trace for each step, linked in order, the run as their session.',
    input: z.strictObject({
      /** The name of the file, for messages and as part of the session. */
      name: z.string().min(1).max(500).default('trajectory.traj'),
      /** The whole text of the file. */
      text: z.string().max(fileLimit),
      /** When the run ended, if known: trajectories carry no times. Default now. */
      recorded_at: z
        .string()
        .refine((value) => parseTime(value) !== undefined, 'is not an ISO 8601 time')
        .optional(),
    }),
    output,
    effect: 'task',
    repeatable: true,
    uses: ['records', 'transfer'],
    run: importTrajectory,
  }),
] as const

interface TrajectoryFile {
  readonly name: string
  readonly text: string
  readonly recorded_at?: string | undefined
  /** Counts what would be stored, and stores nothing. */
  readonly dry_run?: boolean
}

/** Imports the trajectory in `text`. */
export async function importTrajectory(
  { name, text, recorded_at, dry_run = false }: TrajectoryFile,
  at: TaskContext<'records' | 'transfer'>,
) {
  const run = parseSweAgent(text, name)
  const total = run.steps.length
  const key = (await at.transfer.digest.sha256(text)).slice(0, 16)
  const session = `swe-agent:${name
    .replace(/\.traj$/i, '')
    .slice(0, 200)
    .toWellFormed()}:${key.slice(0, 8)}`
  const ids = run.steps.map((_, i) => `swe-${key}-${i + 1}`)
  const times = stepTimes(run.steps, parseTime(beginningOf(recorded_at ?? at.call.now, at.call.zone)) ?? 0)
  checkAborted(at.call.signal)
  at.call.progress({ done: 0, total, what: name })
  const { imported, secrets } = await at.records.write((write) => ({
    imported: storeRun(run, { name, session, ids, times, dry_run }, write),
    secrets: write.records.secrets(),
  }))
  at.call.progress({ done: total, total, what: name })
  return { imported, skipped: total - imported, session, ids, secrets }
}

interface Plan {
  readonly name: string
  readonly session: string
  readonly ids: readonly string[]
  readonly times: readonly string[]
  readonly dry_run: boolean
}

function storeRun(
  run: SweRun,
  { name, session, ids, times, dry_run }: Plan,
  { records }: WriteContext<'records'>,
): number {
  let imported = 0
  run.steps.forEach((step, i) => {
    const id = ids[i] ?? ''
    if (records.get(id)) return
    const previous = ids[i - 1]
    const last = i === run.steps.length - 1
    const body = {
      timestamp: times[i],
      situation: {
        domain: 'software.engineering',
        actor: run.environment ?? 'agent',
        channel: 'swe-agent',
        context: { file: name, step: i + 1, ...(step.state === undefined ? {} : { state: step.state }) },
      },
      task: { goal: step.thought || '(no thought given)', constraints: [] },
      action: {
        type: verbOf(step.command),
        parameters: { command: step.command },
        tools_used: toolsOf(step.command),
      },
      result: {
        success: !looksFailed(step.observation),
        outcome: {
          observation: step.observation,
          ...(step.seconds === undefined ? {} : { execution_time: step.seconds }),
          ...(last && run.exitStatus ? { exit_status: run.exitStatus } : {}),
          ...(last && run.submission ? { submission: run.submission } : {}),
        },
        side_effects: [],
      },
      metadata: {
        mode: 'autonomous',
        tags: ['swe-agent'],
        linked_traces: previous === undefined ? [] : [previous],
      },
    } as unknown as JsonObject
    if (!dry_run) records.put({ kind: 'trace', id, body, scope: { session } })
    imported += 1
  })
  return imported
}

/** Times that end at `endMs` and keep the order and, where known, the length of the steps. */
function stepTimes(steps: readonly SweStep[], endMs: number): string[] {
  let at = endMs
  const times = steps.map(() => '')
  for (let i = steps.length - 1; i >= 0; i--) {
    times[i] = formatTime(at)
    at -= Math.max(1, Math.round((steps[i]?.seconds ?? 1) * 1000))
  }
  return times
}

const verb = /^[A-Za-z_][\w.-]{0,60}/

function verbOf(command: string): string {
  if (command === '') return 'say'
  return verb.exec(command)?.[0] ?? 'command'
}

function toolsOf(command: string): string[] {
  return command === '' ? [] : [verbOf(command)]
}

/** Trajectories do not say whether a command worked; these are the marks that shells, Python and SWE-agent leave when not. */
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
