// How far long work has come, in units of its own.

export interface Progress {
  readonly done: number
  readonly total: number
  readonly what: string
}
