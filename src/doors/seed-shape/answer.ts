// How answers of capabilities become those of the descriptions: a bare list, an id under its own name.
import { z } from 'zod'

type Answer = Readonly<Record<string, unknown>>

/** The records of a page. */
export const pageOf = ({ records }: Answer): unknown => records

/** What `idAs` makes. */
export const idAnswer = (name: string) => z.looseObject({ [name]: z.string(), stored_at: z.string() })

/** `{ id }` as `{ trace_id }`, with the time of the commit. */
export const idAs =
  (name: string) =>
  ({ id, stored_at }: Answer): unknown => ({ [name]: id, stored_at })
