// The shape of the id of a record.
import { z } from 'zod'
import { isRecordId } from '../core/ids.ts'

export const recordId = z
  .string()
  .refine(isRecordId, 'is not a record id (1 to 128 letters, digits, . _ : -)')
