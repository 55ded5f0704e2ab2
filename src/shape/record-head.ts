// The shape of what every record has beside its kind and its body.
import { z } from 'zod'
import { sensitivities } from '../core/sealed.ts'
import { marks } from './marks.ts'

export const recordHead = {
  id: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  ver: z.number(),
  agent: z.string(),
  session: z.string().optional(),
  resource: z.string().optional(),
  sensitivity: z.enum(sensitivities).optional(),
  /** What was said of it, see `records.mark`. */
  marks: z.object(marks).optional(),
}
