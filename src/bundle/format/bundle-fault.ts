// What is wrong with a bundle: the place in it, and why, in one error.
import { DaybookError } from '../../core/errors.ts'

export function wrong(path: string, message: string, cause?: unknown): DaybookError {
  const where = path === '' ? 'The bundle' : `\`${path}\``
  return new DaybookError('invalid-file', `${where}: ${message}.`, { details: { path }, cause })
}

/** Its checksum is at its end, so nothing vouches for what is there. */
export function cutOff(path: string): DaybookError {
  const where = path === '' ? 'The bundle' : `\`${path}\``
  const message = `${where}: The bundle was cut off here, and without its end nothing of it is taken.`
  return new DaybookError('incomplete-file', message, { details: { path } })
}

/** Runs a check of a part, and puts the part's place before that of its fault. */
export function within<Result>(path: string, check: () => Result): Result {
  try {
    return check()
  } catch (cause) {
    if (!(cause instanceof DaybookError)) throw cause
    const inner = typeof cause.details['path'] === 'string' ? cause.details['path'] : ''
    const [issue] = (cause.details['issues'] ?? []) as { message: string }[]
    throw wrong(inner === '' ? path : `${path}.${inner}`, issue?.message ?? cause.message, cause)
  }
}
