// A change that the mirror will never take as it is: it waits on this device, whole, with the reason.

export interface RefusedOp {
  /** Its number in the outbox; it grows from one to the next. */
  readonly n: number
  readonly record: string
  readonly kind: string
  readonly op: 'put' | 'forget'
  /** The error that the mirror, or the device before sending, answered it with. */
  readonly code: string
  readonly message: string
  /** When it was refused, or was made if it was never sent; canonical UTC time. */
  readonly at?: string | undefined
  /** Where in the change, if the error said so. */
  readonly path?: string | undefined
}
