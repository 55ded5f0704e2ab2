// How much a tool lists at once: what a model reads is dear, and long lists drown what matters.
import { isJsonObject } from '../../../core/json/path.ts'
import type { JsonSchema } from './tool.ts'

/** Most entries that one call lists. */
export const listLimit = 50

export interface ListLimit {
  /** `input` with a limit that is at most `listLimit`. */
  apply(input: unknown): unknown
  /** What is said beside `answer`, when there may be more than it lists. */
  noteOf(input: unknown, answer: unknown): string | undefined
}

const noLimit: ListLimit = { apply: (input) => input, noteOf: () => undefined }

/** The limit of a tool whose verb takes one in `field`; `schemas` say what holds when a caller names none. */
export function limitOf(field: string, schemas: readonly JsonSchema[]): ListLimit {
  const limits = schemas.flatMap((schema) => {
    const { properties } = schema
    const said = isJsonObject(properties) ? (properties[field] ?? properties['limit']) : undefined
    return isJsonObject(said) ? [said] : []
  })
  if (limits.length === 0) return noLimit
  const usual =
    limits.map((limit) => limit['default']).find((value) => typeof value === 'number') ?? listLimit
  const wanted = (input: unknown) => (isJsonObject(input) ? (input[field] ?? usual) : usual)
  return {
    apply(input) {
      if (input !== undefined && !isJsonObject(input)) return input
      const limit = wanted(input)
      // What is no number is the verb's to refuse.
      return typeof limit === 'number' ? { ...input, [field]: limit > listLimit ? listLimit : limit } : input
    },
    noteOf(input, answer) {
      const limit = wanted(input)
      const isCut = typeof limit === 'number' && limit > listLimit && listed(answer) >= listLimit
      return isCut
        ? `Only ${listLimit} are listed here, as one call lists no more. Ask for the next by cursor or offset, or ask more narrowly.`
        : undefined
    },
  }
}

function listed(answer: unknown): number {
  const lists = isJsonObject(answer) ? Object.values(answer) : [answer]
  return Math.max(0, ...lists.map((list) => (Array.isArray(list) ? list.length : 0)))
}
