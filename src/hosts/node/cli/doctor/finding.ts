// One thing that `daybook doctor` has looked at.
export interface Finding {
  readonly what: string
  readonly state: 'ok' | 'warning' | 'fault'
  /** What was found. */
  readonly says: string
  /** What to do about it; for all but `ok`. */
  readonly do?: string
}

export const ok = (what: string, says: string): Finding => ({ what, state: 'ok', says })
export const warning = (what: string, says: string, way: string): Finding => ({
  what,
  state: 'warning',
  says,
  do: way,
})
export const fault = (what: string, says: string, way: string): Finding => ({
  what,
  state: 'fault',
  says,
  do: way,
})
