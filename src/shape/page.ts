// Shapes of pages of a list: number of records, cursor of the next page, and number of unread (sealed) records.
import { z } from 'zod'
import { defined } from '../core/defined.ts'
import { sealedField } from './field.ts'

export const cursor = z.string().max(40_000).optional()
/** `usual`: the default. */
export const limit = (usual = 100, most = 1000) => z.number().int().min(1).max(most).default(usual)
export const offset = z.number().int().min(0).max(1_000_000).default(0)

interface Page {
  readonly cursor?: string
  readonly sealed?: number
}

/** Returns the field `cursor` of a page; an empty object on the last page. */
export function nextOf({ cursor: next }: Page): { cursor?: string } {
  return defined({ cursor: next })
}

/** Returns the cursor and the number of unreadable records of a page, without empty fields. */
export function restOf(page: Page): { cursor?: string; sealed?: number } {
  return { ...nextOf(page), ...sealedField(page.sealed ?? 0) }
}
