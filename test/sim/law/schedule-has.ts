// Which steps a schedule has: what some of them do excuses from some laws.
import type { Schedule } from '../schedule.ts'
import type { Step } from '../step.ts'

export const has = (schedule: Schedule, ...names: Step['do'][]): boolean =>
  schedule.some((step) => names.includes(step.do))

/** A disk lost something, lives twice, or another mirror took the place of the first: some have to decide by time alone. */
export const isSetBack = (schedule: Schedule): boolean =>
  has(schedule, 'fork', 'restore', 'replace-mirror', 'restore-mirror', 'set-back-mirror', 'harm')
