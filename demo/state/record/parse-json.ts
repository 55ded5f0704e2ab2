// Parses JSON that a person pasted; what is no JSON is an error that says where.
import { DaybookError } from '../../../src/index.ts'

/** Where in the text a parser stopped, as line and column, when it says. */
function placeOf(text: string, message: string): string {
  const position = /position (\d+)/.exec(message)?.[1]
  if (position === undefined) return ''
  const before = text.slice(0, Number(position)).split('\n')
  return ` at line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : ''
    throw new DaybookError('invalid-input', `This is not JSON${placeOf(text, message)}: ${message}.`, {
      details: { path: '' },
      cause,
    })
  }
}
