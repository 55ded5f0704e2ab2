// Which schema the dialog of schemas changes; undefined for a new one.
import { signal } from '@preact/signals'
import type { FactSchema } from '../../../src/index.ts'
import { openDialog } from '../dialog.ts'

export const schemaToChange = signal<FactSchema | undefined>(undefined)

export function registerSchema(change?: FactSchema): void {
  schemaToChange.value = change
  openDialog.value = 'schema'
}
