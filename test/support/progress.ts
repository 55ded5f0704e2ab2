// Tells the runner (`scripts/run-tests.mjs`) what goes on, by lines appended to the file that it named: any process of a run can do
// that, a blocked one too. Without a runner nobody is told.
import { appendFileSync } from 'node:fs'

const file = process.env['DAYBOOK_PROGRESS']

export interface Progress {
  readonly project?: string
  readonly file?: string
  readonly state?: string
  readonly test?: string
  /** How long a file took, with its imports and hooks. */
  readonly ms?: number
  readonly step?: string
  readonly isOver?: boolean
}

/** Where programs may write what they do, as a sign of life; undefined without a runner. */
export const progressFile = file

export function tellProgress(line: Progress): void {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`)
}

/** Does work that is no test, and tells of its beginning and its end. */
export async function inStep<Result>(
  project: string,
  step: string,
  work: () => Promise<Result>,
): Promise<Result> {
  tellProgress({ project, step })
  try {
    return await work()
  } finally {
    tellProgress({ project, step, isOver: true })
  }
}
