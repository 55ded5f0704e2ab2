// Reads SWE-agent trajectories (`.traj`): one step for each action the agent took, in order. Pure: text in, steps out.
// A file that holds only the chat `history` is read too: each answer of the agent with the observation that follows.
import { z } from 'zod'
import { DaybookError } from '../../core/errors.ts'
import { jsonErrorPlace } from '../../core/json/json-place.ts'
import { parseWith } from '../../core/schema.ts'

export interface SweStep {
  readonly thought: string
  /** The command as the agent gave it; empty when it only spoke. */
  readonly command: string
  readonly observation: string
  readonly state?: unknown
  readonly seconds?: number
}

export interface SweRun {
  readonly environment?: string
  readonly steps: readonly SweStep[]
  readonly exitStatus?: string
  readonly submission?: string
}

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '')
const step = z.looseObject({
  action: text,
  observation: text,
  response: text,
  thought: text,
  state: z.unknown().optional(),
  execution_time: z.number().nonnegative().nullish().catch(undefined),
})
const part = z.looseObject({ text: z.string().optional() })
const message = z.looseObject({
  role: z.string(),
  content: z.union([z.string(), z.array(part)]).nullish(),
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

/** Reads the text of file `name`; throws `invalid-file` with the file and the place in it. */
export function parseSweAgent(source: string, name: string): SweRun {
  const file = readFile(source, name)
  const { environment, info } = file
  const steps = file.trajectory?.length ? file.trajectory.map(fromStep) : fromHistory(file.history ?? [])
  if (steps.length === 0)
    throw wrong(name, '', 'It has neither a trajectory nor a history with a step of an agent')
  return {
    steps,
    ...(environment ? { environment } : {}),
    ...(info?.exit_status ? { exitStatus: info.exit_status } : {}),
    ...(info?.submission ? { submission: info.submission } : {}),
  }
}

function readFile(source: string, name: string): z.output<typeof trajectory> {
  let json: unknown
  try {
    json = JSON.parse(source)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw wrong(name, jsonErrorPlace(source) ?? '', `It is not JSON: ${reason}`, cause)
  }
  try {
    return parseWith(trajectory, json, 'invalid-file')
  } catch (cause) {
    if (!(cause instanceof DaybookError)) throw cause
    const [issue] = cause.details['issues'] as { path: string; message: string }[]
    throw wrong(name, issue?.path ?? '', issue?.message ?? 'It is not a trajectory', cause)
  }
}

function fromStep({
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
    ...(state === undefined || state === null || state === '' ? {} : { state: parsedState(state) }),
    ...(typeof seconds === 'number' ? { seconds } : {}),
  }
}

/** Newer files keep the state as an object, older ones as the text of one. */
function parsedState(state: unknown): unknown {
  if (typeof state !== 'string') return state
  try {
    return JSON.parse(state) as unknown
  } catch {
    return state
  }
}

function fromHistory(history: readonly z.output<typeof message>[]): SweStep[] {
  // An instruction between an answer and its observation is neither.
  const said = history.filter((one) => one.is_demo !== true && one.role !== 'system')
  return said.flatMap((one, i) => {
    if (one.role !== 'assistant') return []
    const next = said[i + 1]
    const answer = contentText(one)
    return [
      {
        thought: (one.thought ?? answer).trim(),
        command: (one.action ?? '').trim(),
        observation: next && next.role !== 'assistant' ? contentText(next) : '',
      },
    ]
  })
}

function contentText({ content }: z.output<typeof message>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((one) => one.text ?? '').join('\n')
}

function wrong(file: string, path: string, message: string, cause?: unknown): DaybookError {
  const where = path === '' ? file : `${file}, ${path}`
  return new DaybookError('invalid-file', `${where}: ${message}.`, { details: { file, path }, cause })
}
