// The shape of texts to store: well-formed Unicode, at most `max` UTF-16 units.
import { z } from 'zod'

export const soundText = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => text.isWellFormed(), 'is not well-formed Unicode')

/** As `soundText`, but not empty. */
export const someText = (max: number) => soundText(max).min(1)
