// Shapes that the kinds and verbs of this chapter share: texts, the scope of a record, the receipt of a write.
import { z } from 'zod'
import { sensitivities } from '../../core/sealed.ts'
import { trustClasses } from '../../core/trusted.ts'
import { scopeName } from '../../shape/field.ts'
import { stored } from '../../shape/receipt.ts'

export const text = (max: number) => z.string().max(max)
export const name = z.string().min(1).max(1000)
export const textList = z.array(text(10_000)).max(1000)

/** Owner, sensitivity and highest trust of a record. Default: the scope in which the book was opened. */
export const scope = {
  agent: scopeName.optional(),
  session: scopeName.optional(),
  resource: scopeName.optional(),
  /**
   * A `sensitive` or `restricted` record is encrypted before it is stored or sent. Default: unchanged; for a new
   * record, `standard`.
   */
  sensitivity: z.enum(sensitivities).optional(),
  /** Lowers the trust of the record, for text of a tool or of the web. Default: the trust of the caller. */
  trust: z.enum(trustClasses).optional(),
}

/** Receipt of a committed write: id of the record, time and medium. */
export const receipt = z.object({ id: z.string(), ...stored })
