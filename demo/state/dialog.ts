// The open dialog. One at a time.
import { signal } from '@preact/signals'

export type DialogName =
  | 'admit'
  | 'books'
  | 'edit'
  | 'grant'
  | 'help'
  | 'palette'
  | 'paste'
  | 'revoke'
  | 'places'
  | 'schema'
  | 'settings'

export const openDialog = signal<DialogName | undefined>(undefined)

export function closeDialog(): void {
  openDialog.value = undefined
}
